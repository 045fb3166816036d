#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace lambda {

/// Follows a text file that is being written, by this or another process. Not thread-safe.
class FileTail {
 public:
  explicit FileTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Gives the bytes appended since the last call to `text`, in parts. If the file was cut,
  /// replaced or deleted, calls `restarted` first and reads it from its start. A file that does not
  /// exist yet has no bytes. Throws Error if the file can't be read or is not a regular file.
  void poll(const std::function<void()>& restarted,
            const std::function<void(std::string_view)>& text);

 private:
  void restart(const std::function<void()>& restarted);
  bool continuesAt(int file, std::uint64_t size) const;

  std::filesystem::path file_;
  std::uint64_t offset_ = 0;
  std::uint64_t inode_ = 0;
  std::string
      lastBytes_;  ///< The last bytes read, to detect a file that was cut and has grown again.
};

}  // namespace lambda
