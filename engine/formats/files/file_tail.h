#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace lambda {

/// Follows a text file that is being written, by this or another process. Not thread-safe.
class FileTail {
 public:
  explicit FileTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Continues after the first `offset` bytes, if these end with `lastBytes`, which are not more
  /// than kRememberedBytes; else it restarts.
  FileTail(std::filesystem::path file, std::uint64_t offset, std::string lastBytes)
      : file_(std::move(file)), offset_(offset), lastBytes_(std::move(lastBytes)) {}

  static constexpr std::size_t kRememberedBytes = 256;

  /// The bytes of the file that have been given.
  std::uint64_t offset() const { return offset_; }

  /// Gives the bytes appended since the last call to `text`, in parts, and at most `most` of them.
  /// If the file was cut, replaced or deleted, calls `restarted` first and reads it from its start.
  /// A file that does not exist yet has no bytes. Throws Error if the file can't be read or is not
  /// a regular file.
  void poll(const std::function<void()>& restarted,
            const std::function<void(std::string_view)>& text,
            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

 private:
  void restart(const std::function<void()>& restarted);
  bool continuesAt(int file, std::uint64_t size) const;

  std::filesystem::path file_;
  std::uint64_t offset_ = 0;
  std::uint64_t inode_ = 0;  ///< 0 = not known.
  std::string
      lastBytes_;  ///< The last bytes read, to detect a file that was cut and has grown again.
};

}  // namespace lambda
