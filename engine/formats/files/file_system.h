#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>

#include "engine/runtime/error.h"

namespace lambda {

/// The system calls that reading and writing a file need. Each behaves as the POSIX call of its
/// name, including errno. They are virtual, so that a test can make the n-th call fail as a full or
/// faulty disk does.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The folder of a run or an experiment may come from others: in it, down to the files of its
  /// subfolders, no symbolic link is followed (ELOOP).
  virtual int open(const char* path, int flags, mode_t mode);
  virtual int fstat(int file, struct stat* facts);
  virtual ssize_t write(int file, const void* bytes, std::size_t count);
  virtual int fsync(int file);
  virtual int ftruncate(int file, off_t length);
  virtual int close(int file);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);

  /// The operating system's own calls; stateless.
  static FileSystem& real();
};

/// The Error for a failed system call. `action` says what failed ("cannot write"), `code` is its
/// errno, and the hint says what the user can do about it.
Error systemError(const std::filesystem::path& path, const std::string& action, int code);

/// Opens a regular file for reading and for writing at its end, and creates it where it is missing.
/// Returns the descriptor. Throws Error, without waiting, for a pipe, a device or a folder.
int openToAppend(FileSystem& system, const std::filesystem::path& path);

/// Writes all of `bytes`, continuing after short writes and interruptions.
/// Throws Error, naming `path`, if a write fails or writes nothing.
void writeAll(FileSystem& system,
              int file,
              const void* bytes,
              std::size_t count,
              const std::filesystem::path& path);

/// fsync, repeated after interruptions. Throws Error naming `path`.
void syncFile(FileSystem& system, int file, const std::filesystem::path& path);

/// Makes names created, renamed or removed in `folder` survive a power cut. Does nothing on a file
/// system that cannot fsync a folder. Throws Error if the disk fails.
void syncFolder(FileSystem& system, const std::filesystem::path& folder);

/// Whether the path leads to something, or to a folder; false where that can't be found out.
bool isThere(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);

/// Throws Error where `out`, which is to be written, is the file `input`, by whatever name: what is
/// read would be replaced.
void requireOtherFile(const std::filesystem::path& out, const std::filesystem::path& input);

/// The folder that holds `path`; "." if the path is only a name.
std::filesystem::path folderOf(const std::filesystem::path& path);

}  // namespace lambda
