#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// The real file system, in which one call, or every call from one on, fails.
class FaultyFileSystem : public FileSystem {
 public:
  /// The `failing`-th call (from 0) fails with `code`; if `sticky`, all later ones too.
  FaultyFileSystem(int failing, int code, bool sticky)
      : failing_(failing), code_(code), sticky_(sticky) {}

  /// No call fails, but a write writes at most `bytes` bytes.
  static FaultyFileSystem withShortWrites(std::size_t bytes) {
    FaultyFileSystem system(std::numeric_limits<int>::max(), 0, false);
    system.longestWrite_ = bytes;
    return system;
  }

  int open(const char* path, int flags, mode_t mode) override {
    return fails() ? -1 : FileSystem::open(path, flags, mode);
  }

  /// The failing write leaves half of its bytes in the file, as a disk that fills up does.
  ssize_t write(int file, const void* bytes, std::size_t count) override {
    if (fails()) {
      if (code_ != EINTR) FileSystem::write(file, bytes, count / 2);
      errno = code_;
      return -1;
    }
    return FileSystem::write(file, bytes, std::min(count, longestWrite_));
  }

  int fsync(int file) override { return fails() ? -1 : FileSystem::fsync(file); }

  int ftruncate(int file, off_t length) override {
    return fails() ? -1 : FileSystem::ftruncate(file, length);
  }

  int rename(const char* from, const char* to) override {
    return fails() ? -1 : FileSystem::rename(from, to);
  }

  /// Closes the descriptor even if the call fails, as Linux does.
  int close(int file) override {
    const bool failed = fails();
    const int result = FileSystem::close(file);
    if (!failed) return result;
    errno = code_;
    return -1;
  }

  bool anyFailed() const { return calls_ > failing_; }

 private:
  bool fails() {
    const int call = calls_++;
    errno = code_;
    return call == failing_ || (sticky_ && call > failing_);
  }

  int failing_;
  int code_;
  bool sticky_;
  int calls_ = 0;
  std::size_t longestWrite_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace lambda
