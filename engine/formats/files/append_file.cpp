#include "engine/formats/files/append_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace lambda {

AppendFile::AppendFile(std::filesystem::path path,
                       std::chrono::milliseconds syncInterval,
                       FileSystem& system)
    : system_(system),
      path_(std::move(path)),
      syncInterval_(syncInterval),
      lastSync_(std::chrono::steady_clock::now()) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC;
  do {
    file_ = system_.open(path_.c_str(), kFlags, 0666);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) throw systemError(path_, "cannot open for appending", errno);
  struct stat facts = {};
  if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    system_.close(file_);
    throw Error(path_.string(), "is not a regular file", "name a file");
  }
  offset_ = static_cast<std::uint64_t>(facts.st_size);
}

AppendFile::~AppendFile() {
  system_.close(file_);
}

void AppendFile::append(std::string_view record) {
  if (torn_) cutTo(offset_);
  try {
    writeAll(system_, file_, record.data(), record.size(), path_);
  } catch (const Error&) {
    torn_ = system_.ftruncate(file_, static_cast<off_t>(offset_)) != 0;
    throw;
  }
  offset_ += record.size();
  if (std::chrono::steady_clock::now() - lastSync_ >= syncInterval_) sync();
}

void AppendFile::appendLine(std::string_view line) {
  std::string record;
  record.reserve(line.size() + 1);
  record.append(line).push_back('\n');
  append(record);
}

void AppendFile::sync() {
  syncFile(system_, file_, path_);
  lastSync_ = std::chrono::steady_clock::now();
}

void AppendFile::truncate(std::uint64_t offset) {
  if (offset > offset_) {
    throw Error(path_.string(),
                "has " + std::to_string(offset_) + " bytes, but " + std::to_string(offset) +
                    " of them should be kept",
                "records are missing at its end: the file was cut or replaced");
  }
  cutTo(offset);
}

void AppendFile::cutTo(std::uint64_t offset) {
  while (system_.ftruncate(file_, static_cast<off_t>(offset)) != 0) {
    if (errno != EINTR) throw systemError(path_, "cannot cut the file", errno);
  }
  offset_ = offset;
  torn_ = false;
}

}  // namespace lambda
