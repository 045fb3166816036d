#include "engine/experiments/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "engine/formats/files/file_system.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// The texts as exec() takes them; they must outlive the result.
std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

ProcessEnd endOf(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

/// Becomes the program. `parent`: with which it ends; 0 = it outlives it. Called between fork and
/// exec: only what is safe in a signal handler.
[[noreturn]] void becomeProgram(
    char* const* arguments, char* const* environment, int log, int inherited, pid_t parent) {
  if (parent == 0) {
    // A session of its own, which no terminal that closes takes along.
    ::setsid();
  } else {
    // Ctrl-C reaches all processes of the terminal's group, and a second signal would end the
    // program before it has saved.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have died before the line above.
    if (::getppid() != parent) ::_exit(127);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int input = ::open("/dev/null", O_RDONLY);
  if (input >= 0) ::dup2(input, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  if (inherited >= 0) ::fcntl(inherited, F_SETFD, 0);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const Options& options)
    : outlives_(options.outlives) {
  const std::vector<char*> argumentPointers = pointersTo(arguments);
  // The first of two values of a variable is the one that getenv() finds.
  std::vector<std::string> variables = options.environment;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  const std::vector<char*> variablePointers = pointersTo(variables);
  const bool hasLog = !options.log.empty();
  const int file = hasLog ? openToAppend(FileSystem::real(), options.log) : STDERR_FILENO;
  const pid_t parent = outlives_ ? 0 : ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    becomeProgram(
        argumentPointers.data(), variablePointers.data(), file, options.inherited, parent);
  }
  const int reason = errno;
  if (hasLog) ::close(file);
  if (pid_ < 0) {
    throw Error(arguments.front(),
                std::string("the process can't be started: ") + std::strerror(reason),
                "Close other programs, or run fewer at a time.");
  }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), outlives_(other.outlives_), end_(other.end_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(outlives_, other.outlives_);
  std::swap(end_, other.end_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || end_ || outlives_) return;
  requestStop();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

std::optional<ProcessEnd> ChildProcess::poll() {
  if (pid_ < 0 || end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) end_ = endOf(status);
  return end_;
}

void ChildProcess::requestStop() {
  if (pid_ >= 0 && !end_) ::kill(pid_, SIGTERM);
}

void ChildProcess::kill() {
  if (pid_ >= 0 && !end_) ::kill(pid_, SIGKILL);
}

}  // namespace lambda
