// A library for LD_PRELOAD. It counts the operations of a process on the files below one folder,
// and at one of them it kills the process or lets the operation fail. Environment variables:
//
//   LAMBDA_FAULT_FOLDER   operations on files below it are numbered in their order, from 1
//   LAMBDA_FAULT_LOG      each is appended to this file as "NUMBER OPERATION PATH"
//   LAMBDA_FAULT_AT       the number of the operation to disturb; none = they are only logged
//   LAMBDA_FAULT_KIND     kill (default): SIGKILL before the operation
//                         ENOSPC, EIO, EINTR: the operation fails once with this error
//                         short: a write writes half of its bytes; other operations succeed
//   LAMBDA_FAULT_STICKY   1: all later operations are disturbed too

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Plan {
  Plan() {
    if (kind == "ENOSPC") code = ENOSPC;
    if (kind == "EIO") code = EIO;
    if (kind == "EINTR") code = EINTR;
    if (!log.empty()) {
      using Open = int (*)(const char*, int, ...);
      logFile = next<Open>("open")(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
  }

  const std::string folder = variable("LAMBDA_FAULT_FOLDER");
  const std::string log = variable("LAMBDA_FAULT_LOG");
  const long at = std::atol(variable("LAMBDA_FAULT_AT").c_str());
  const std::string kind = variable("LAMBDA_FAULT_KIND");
  const bool isSticky = variable("LAMBDA_FAULT_STICKY") == "1";
  int code = 0;
  int logFile = -1;
  std::atomic<long> count{0};
};

Plan& plan() {
  static Plan plan;
  return plan;
}

bool isBelow(const std::string& path) {
  const std::string& folder = plan().folder;
  return !folder.empty() && path.size() > folder.size() &&
         path.compare(0, folder.size(), folder) == 0;
}

std::string absolute(const char* path) {
  if (path[0] == '/') return path;
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

std::string pathOf(int file) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  return length < 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

enum class Verdict { proceed, fail, halve };

Verdict judge(const char* operation, const std::string& path) {
  if (!isBelow(path)) return Verdict::proceed;
  Plan& plan = ::plan();
  const long number = ++plan.count;
  if (plan.logFile >= 0) {
    const std::string line = std::to_string(number) + " " + operation + " " + path + "\n";
    using Write = ssize_t (*)(int, const void*, size_t);
    (void)!next<Write>("write")(plan.logFile, line.data(), line.size());
  }
  if (plan.at <= 0 || (number != plan.at && !(plan.isSticky && number > plan.at))) {
    return Verdict::proceed;
  }
  if (plan.kind == "short") return Verdict::halve;
  if (plan.code == 0) {
    raise(SIGKILL);
  }
  errno = plan.code;
  return Verdict::fail;
}

bool fails(const char* operation, const std::string& path) {
  return judge(operation, path) == Verdict::fail;
}

bool writes(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_ACCMODE) != O_RDONLY;
}

int openAs(const char* name, const char* path, int flags, mode_t mode) {
  if (writes(flags) && fails("open", absolute(path))) return -1;
  using Open = int (*)(const char*, int, ...);
  return next<Open>(name)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return openAs("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return openAs("open64", path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  using Write = ssize_t (*)(int, const void*, size_t);
  static const Write real = next<Write>("write");
  if (plan().folder.empty()) return real(file, bytes, count);
  switch (judge("write", pathOf(file))) {
    case Verdict::fail:
      return -1;
    case Verdict::halve:
      return real(file, bytes, count > 1 ? count / 2 : count);
    case Verdict::proceed:
      break;
  }
  return real(file, bytes, count);
}

int fsync(int file) {
  if (fails("fsync", pathOf(file))) return -1;
  return next<int (*)(int)>("fsync")(file);
}

int ftruncate(int file, off_t length) noexcept {
  if (fails("ftruncate", pathOf(file))) return -1;
  return next<int (*)(int, off_t)>("ftruncate")(file, length);
}

int rename(const char* from, const char* to) noexcept {
  if (fails("rename", absolute(to))) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int link(const char* from, const char* to) noexcept {
  if (fails("link", absolute(to))) return -1;
  return next<int (*)(const char*, const char*)>("link")(from, to);
}

int unlink(const char* path) noexcept {
  if (fails("unlink", absolute(path))) return -1;
  return next<int (*)(const char*)>("unlink")(path);
}

int remove(const char* path) noexcept {
  if (fails("remove", absolute(path))) return -1;
  return next<int (*)(const char*)>("remove")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fails("mkdir", absolute(path))) return -1;
  return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

}  // extern "C"
