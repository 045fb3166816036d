#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// The beginning of a file that is being downloaded, kept between attempts together with the
/// server's name for that version of it. One attempt at a time, in any process, holds it.
/// All members throw Error naming the file. Not thread-safe.
class PartFile {
 public:
  /// Opens or creates `path`; throws Error where another attempt holds it.
  PartFile(std::filesystem::path path, FileSystem& system);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::uint64_t size() const { return size_; }

  /// ETag or date of the version these bytes belong to; empty if unknown, so not to be continued.
  std::string validator() const;

  /// Drops the bytes and begins again with another version.
  void restart(std::string_view validator);

  void append(std::string_view bytes);

  /// Brings the bytes to the disk and gives them their final name. Ends this object's use.
  void publish(const std::filesystem::path& destination);

  /// Deletes what was received. Ends this object's use.
  void discard();

 private:
  std::filesystem::path path_;
  std::filesystem::path validatorPath_;
  FileSystem& system_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace lambda
