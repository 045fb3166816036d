#include "engine/formats/files/file_system.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace lambda {

namespace {

/// The type of what is at the path itself, which may be a link; 0 where nothing is.
mode_t typeAt(const std::filesystem::path& path) {
  struct stat facts = {};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & S_IFMT : 0;
}

bool hasRecord(const std::filesystem::path& folder) {
  return typeAt(folder / "run.json") != 0 || typeAt(folder / "experiment.json") != 0;
}

/// Whether a link below the folder of a run or an experiment leads to the path.
bool isLinkBelowRecord(const char* path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::absolute(path, error).lexically_normal();
  const std::filesystem::path folder = file.parent_path();
  const bool isInSubfolder = hasRecord(folder.parent_path());
  if (!isInSubfolder && !hasRecord(folder)) return false;
  return typeAt(file) == S_IFLNK || (isInSubfolder && typeAt(folder) == S_IFLNK);
}

}  // namespace

int FileSystem::open(const char* path, int flags, mode_t mode) {
  if (isLinkBelowRecord(path)) {
    errno = ELOOP;
    return -1;
  }
  return ::open(path, flags, mode);
}

int FileSystem::fstat(int file, struct stat* facts) {
  return ::fstat(file, facts);
}

ssize_t FileSystem::write(int file, const void* bytes, std::size_t count) {
  return ::write(file, bytes, count);
}

int FileSystem::fsync(int file) {
  return ::fsync(file);
}

int FileSystem::ftruncate(int file, off_t length) {
  return ::ftruncate(file, length);
}

int FileSystem::close(int file) {
  return ::close(file);
}

int FileSystem::rename(const char* from, const char* to) {
  return ::rename(from, to);
}

int FileSystem::unlink(const char* path) {
  return ::unlink(path);
}

FileSystem& FileSystem::real() {
  static FileSystem system;
  return system;
}

namespace {

std::string hintFor(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free space on this disk, or choose a folder on another one";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its folder, or choose another place";
    case EROFS:
      return "the file system is read-only: choose another place";
    case EIO:
      return "the disk or the network share reports a fault: check it, and use another one "
             "meanwhile";
    case ENOENT:
    case ENOTDIR:
      return "check the path for spelling, and that its folders exist";
    case EMFILE:
    case ENFILE:
      return "too many files are open: close other programs, or raise the limit (ulimit -n)";
    case EISDIR:
      return "name a file, not a folder";
    case EFBIG:
      return "no file may be this large here: raise the limit (ulimit -f unlimited), or choose a "
             "folder on another disk";
    case ELOOP:
      return "in the folder of a run or an experiment no link is followed: put the file or folder "
             "itself in the place of the link";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return {};
  }
}

}  // namespace

Error systemError(const std::filesystem::path& path, const std::string& action, int code) {
  return {path.string(), action + ": " + std::generic_category().message(code), hintFor(code)};
}

int openToAppend(FileSystem& system, const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a device may wait.
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC;
  int file = -1;
  do {
    file = system.open(path.c_str(), kFlags, 0666);
  } while (file < 0 && errno == EINTR);
  if (file < 0) throw systemError(path, "cannot open for appending", errno);
  struct stat facts = {};
  if (system.fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    system.close(file);
    throw Error(path.string(), "is not a regular file", "name a file");
  }
  return file;
}

void writeAll(FileSystem& system,
              int file,
              const void* bytes,
              std::size_t count,
              const std::filesystem::path& path) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = system.write(file, next, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      throw systemError(path, "cannot write", errno);
    }
    // Nothing was written and there is no error. Repeating could take for ever, so it counts as a
    // full disk.
    if (written == 0) throw systemError(path, "cannot write", ENOSPC);
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

void syncFile(FileSystem& system, int file, const std::filesystem::path& path) {
  while (system.fsync(file) != 0) {
    if (errno != EINTR) throw systemError(path, "cannot write the data to the disk", errno);
  }
}

void syncFolder(FileSystem& system, const std::filesystem::path& folder) {
  const int file = system.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) throw systemError(folder, "cannot open the folder", errno);
  int code = 0;
  do {
    code = system.fsync(file) == 0 ? 0 : errno;
  } while (code == EINTR);
  system.close(file);
  if (code != 0 && code != EINVAL && code != ENOTSUP) {
    throw systemError(folder, "cannot write the folder to the disk", code);
  }
}

bool isThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool isFolder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

void requireOtherFile(const std::filesystem::path& out, const std::filesystem::path& input) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(out, input, ignored)) return;
  throw Error(out.string(),
              "this is the file that is read, which is never replaced",
              "Give another name for the file to write.");
}

std::filesystem::path folderOf(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

}  // namespace lambda
