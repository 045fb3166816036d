#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// A file that grows by whole records, such as a log or a metrics file. Each append reaches the
/// operating system at once, so a killed process loses nothing; a power cut loses what came after
/// the last sync. A record that could not be written completely is cut off again, so that the next
/// one follows the last good one. A missing file is created; records are added at its end.
/// One writer per file. Not thread-safe. All members throw Error naming the file.
class AppendFile {
 public:
  /// `syncInterval`: an append is followed by fsync if the last one is at least this long ago; 0
  /// means after every append. sync() does it at any time.
  explicit AppendFile(std::filesystem::path path,
                      std::chrono::milliseconds syncInterval = std::chrono::seconds(5),
                      FileSystem& system = FileSystem::real());

  /// Closes without fsync: call sync() first where a power cut matters.
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void append(std::string_view record);

  /// Appends the line and a newline in one write.
  void appendLine(std::string_view line);

  void sync();

  /// The offset in bytes after the last whole record, which checkpoints store.
  std::uint64_t offset() const { return offset_; }

  /// Drops everything from `offset` on, in bytes. A run that resumes drops what was logged after
  /// its checkpoint. An offset beyond the end throws and changes nothing.
  void truncate(std::uint64_t offset);

  /// The same, with `tail` in the place of what is dropped. The file is replaced as a whole, so
  /// that a killed process leaves it as it was or as it shall be.
  void replaceTail(std::uint64_t offset, std::string_view tail);

  const std::filesystem::path& path() const { return path_; }

 private:
  void cutTo(std::uint64_t offset);

  FileSystem& system_;
  std::filesystem::path path_;
  std::chrono::milliseconds syncInterval_;
  std::chrono::steady_clock::time_point lastSync_;
  int file_ = -1;
  std::uint64_t offset_ = 0;
  bool torn_ = false;
};

}  // namespace lambda
