#include "engine/data/part_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace lambda {

PartFile::PartFile(std::filesystem::path path, FileSystem& system)
    : path_(std::move(path)), system_(system) {
  file_ = system_.open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw systemError(path_, "cannot open", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    system_.close(file_);
    throw Error(path_.string(),
                "another download of this file is under way",
                "Wait for it, or stop it first.");
  }

  struct stat status {};

  if (::fstat(file_, &status) != 0) {
    const int code = errno;
    system_.close(file_);
    throw systemError(path_, "cannot read the size", code);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

PartFile::~PartFile() {
  system_.close(file_);
}

void PartFile::restart() {
  if (system_.ftruncate(file_, 0) != 0) throw systemError(path_, "cannot empty the file", errno);
  size_ = 0;
}

void PartFile::append(std::string_view bytes) {
  writeAll(system_, file_, bytes.data(), bytes.size(), path_);
  size_ += bytes.size();
}

void PartFile::publish(const std::filesystem::path& destination) {
  syncFile(system_, file_, path_);
  if (system_.rename(path_.c_str(), destination.c_str()) != 0) {
    throw systemError(destination, "cannot rename the finished download to this name", errno);
  }
  syncFolder(system_, folderOf(destination));
}

void PartFile::discard() {
  if (system_.unlink(path_.c_str()) != 0) throw systemError(path_, "cannot delete", errno);
}

}  // namespace lambda
