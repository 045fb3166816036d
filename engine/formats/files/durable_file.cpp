#include "engine/formats/files/durable_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lambda {

namespace {

constexpr std::string_view kTemporaryPrefix = ".lambda-";
constexpr std::string_view kTemporarySuffix = ".part";
constexpr std::string_view kLinkSuffix = ".safetensors.link";
constexpr int kMostAttempts = 100;

// The name is random, because other processes and machines may share the folder, with a counter
// within this process.
std::string temporaryName() {
  static const std::uint64_t process = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  static std::atomic<std::uint32_t> count = 0;
  std::array<char, 40> name;
  const int length = std::snprintf(name.data(),
                                   name.size(),
                                   ".lambda-%016llx-%08x.part",
                                   static_cast<unsigned long long>(process),
                                   count.fetch_add(1));
  return {name.data(), static_cast<std::size_t>(length)};
}

bool isTemporaryName(const std::string& name) {
  return name.size() == 38 && name.starts_with(kTemporaryPrefix) &&
         name.ends_with(kTemporarySuffix);
}

/// Removes a temporary whose writer has ended.
bool removeAbandoned(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool removed = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::unlink(path.c_str()) == 0;
  ::close(file);
  return removed;
}

bool isPlainFile(const std::filesystem::path& path) {
  struct stat facts = {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

DurableWriter::DurableWriter(std::filesystem::path path, FileSystem& system)
    : system_(system), path_(std::move(path)) {
  createTemporary();
}

DurableWriter::~DurableWriter() {
  if (state_ != State::published) discard();
}

void DurableWriter::createTemporary() {
  const std::filesystem::path folder = folderOf(path_);
  int code = EAGAIN;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    temporary_ = folder / temporaryName();
    file_ = system_.open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) {
      code = errno;
      if (code == EINTR || code == EEXIST) continue;
      break;
    }
    ::flock(file_, LOCK_EX);
    // A sweep may have removed the file before it was locked, as that of a dead writer.
    struct stat facts = {};
    const bool isKnown = system_.fstat(file_, &facts) == 0;
    if (isKnown && facts.st_nlink > 0) return;
    if (!isKnown) code = errno;
    system_.unlink(temporary_.c_str());
    system_.close(std::exchange(file_, -1));
    if (!isKnown && code != EINTR) break;
  }
  throw systemError(path_, "cannot create a file beside it", code);
}

void DurableWriter::append(std::span<const std::byte> bytes) {
  if (state_ != State::writing) {
    throw Error(path_.string(), "the file was written or given up already");
  }
  try {
    writeAll(system_, file_, bytes.data(), bytes.size(), path_);
  } catch (const Error&) {
    discard();
    throw;
  }
  size_ += bytes.size();
}

void DurableWriter::append(std::string_view bytes) {
  append(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

void DurableWriter::commit() {
  if (state_ != State::writing) {
    throw Error(path_.string(), "the file was written or given up already");
  }
  // A second descriptor keeps the lock until the temporary has its final name.
  const int lock = ::fcntl(file_, F_DUPFD_CLOEXEC, 0);
  try {
    syncFile(system_, file_, path_);
    // Some network shares report a full disk only here. The descriptor is closed in any case.
    const int file = std::exchange(file_, -1);
    if (system_.close(file) != 0 && errno != EINTR) {
      throw systemError(path_, "cannot finish writing", errno);
    }
    while (system_.rename(temporary_.c_str(), path_.c_str()) != 0) {
      if (errno != EINTR) throw systemError(path_, "cannot replace the file", errno);
    }
  } catch (const Error&) {
    discard();
    ::close(lock);
    throw;
  }
  ::close(lock);
  state_ = State::published;
  syncFolder(system_, folderOf(path_));
}

void DurableWriter::discard() noexcept {
  if (state_ == State::failed) return;
  state_ = State::failed;
  system_.unlink(temporary_.c_str());
  if (file_ >= 0) system_.close(std::exchange(file_, -1));
}

void writeFileDurably(const std::filesystem::path& path,
                      std::string_view bytes,
                      FileSystem& system) {
  DurableWriter writer(path, system);
  writer.append(bytes);
  writer.commit();
}

int sweepTemporaries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    paths.push_back(entry->path());
  }
  return static_cast<int>(std::ranges::count_if(paths, [](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return (isTemporaryName(name) && removeAbandoned(path)) ||
           (name.ends_with(kLinkSuffix) && isPlainFile(path) && ::unlink(path.c_str()) == 0);
  }));
}

FileReader::FileReader(std::filesystem::path path) : path_(std::move(path)) {
  do {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    file_ = FileSystem::real().open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) throw systemError(path_, "cannot open", errno);
  struct stat facts = {};
  if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(file_);
    throw Error(path_.string(),
                S_ISDIR(facts.st_mode) ? "is a folder, not a file" : "is not a regular file",
                "name a file");
  }
  size_ = static_cast<std::uint64_t>(facts.st_size);
}

FileReader::~FileReader() {
  ::close(file_);
}

template <class Read>
std::size_t FileReader::fill(std::span<std::byte> bytes, const Read& readPart) const {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = readPart(filled);
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      throw systemError(path_, "cannot read", errno);
    }
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

void FileReader::requireAll(std::size_t count, std::size_t expected) const {
  if (count == expected) return;
  throw Error(path_.string(),
              "ends " + std::to_string(expected - count) + " bytes too early",
              "another program may be writing it: try again, or use a complete copy");
}

std::size_t FileReader::read(std::span<std::byte> bytes) {
  return fill(bytes, [&](std::size_t filled) {
    return ::read(file_, bytes.data() + filled, bytes.size() - filled);
  });
}

void FileReader::readExactly(std::span<std::byte> bytes) {
  requireAll(read(bytes), bytes.size());
}

void FileReader::readExactlyAt(std::uint64_t offset, std::span<std::byte> bytes) const {
  const std::size_t count = fill(bytes, [&](std::size_t filled) {
    const auto position = static_cast<off_t>(offset + filled);
    return ::pread(file_, bytes.data() + filled, bytes.size() - filled, position);
  });
  requireAll(count, bytes.size());
}

std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes) {
  FileReader reader(path);
  if (reader.size() > maxBytes) {
    throw Error(path.string(),
                "has " + std::to_string(reader.size()) + " bytes, more than the " +
                    std::to_string(maxBytes) + " expected here at most",
                "check that this is the file you mean");
  }
  std::string bytes(reader.size(), '\0');
  bytes.resize(reader.read(std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace lambda
