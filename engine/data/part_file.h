#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// The received part of a file that is being downloaded. It is kept between attempts. Only one
/// attempt at a time, in any process, can hold it. All members throw Error naming the file. Not
/// thread-safe.
class PartFile {
 public:
  /// Opens or creates `path`. Throws Error if another attempt holds it.
  PartFile(std::filesystem::path path, FileSystem& system);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::uint64_t size() const { return size_; }

  /// Drops the bytes.
  void restart();

  void append(std::string_view bytes);

  /// Syncs the bytes to the disk and renames the file to its final name. Ends this object's use.
  void publish(const std::filesystem::path& destination);

  /// Deletes the received bytes. Ends this object's use.
  void discard();

 private:
  std::filesystem::path path_;
  FileSystem& system_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace lambda
