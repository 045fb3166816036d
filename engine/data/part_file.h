#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// The received part of a file that is being downloaded. It is kept between attempts, together with
/// the server's validator of that version. Only one attempt at a time, in any process, can hold it.
/// All members throw Error naming the file. Not thread-safe.
class PartFile {
 public:
  /// Opens or creates `path`. Throws Error if another attempt holds it.
  PartFile(std::filesystem::path path, FileSystem& system);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::uint64_t size() const { return size_; }

  /// ETag or date of the version that the bytes belong to. Empty if unknown: the download can't be
  /// continued then.
  std::string validator() const;

  /// Drops the bytes and starts again with another version.
  void restart(std::string_view validator);

  void append(std::string_view bytes);

  /// Syncs the bytes to the disk and renames the file to its final name. Ends this object's use.
  void publish(const std::filesystem::path& destination);

  /// Deletes the received bytes. Ends this object's use.
  void discard();

 private:
  std::filesystem::path path_;
  std::filesystem::path validatorPath_;
  FileSystem& system_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace lambda
