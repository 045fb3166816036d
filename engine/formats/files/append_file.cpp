#include "engine/formats/files/append_file.h"

#include <cerrno>
#include <string>
#include <unistd.h>
#include <utility>

#include "engine/formats/files/durable_file.h"

namespace lambda {

AppendFile::AppendFile(std::filesystem::path path,
                       std::chrono::milliseconds syncInterval,
                       FileSystem& system)
    : system_(system),
      path_(std::move(path)),
      syncInterval_(syncInterval),
      lastSync_(std::chrono::steady_clock::now()),
      file_(openToAppend(system_, path_)),
      offset_(static_cast<std::uint64_t>(::lseek(file_, 0, SEEK_END))) {}

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

void AppendFile::replaceTail(std::uint64_t offset, std::string_view tail) {
  if (tail.empty()) return truncate(offset);
  std::string content = readFile(path_, offset_);
  if (offset > content.size()) return truncate(offset);
  writeFileDurably(path_, content.replace(offset, std::string::npos, tail), system_);
  const int file = openToAppend(system_, path_);
  system_.close(std::exchange(file_, file));
  offset_ = content.size();
  torn_ = false;
}

void AppendFile::cutTo(std::uint64_t offset) {
  while (system_.ftruncate(file_, static_cast<off_t>(offset)) != 0) {
    if (errno != EINTR) throw systemError(path_, "cannot cut the file", errno);
  }
  offset_ = offset;
  torn_ = false;
}

}  // namespace lambda
