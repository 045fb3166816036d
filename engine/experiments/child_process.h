#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lambda {

/// How a process ended.
struct ProcessEnd {
  int exitStatus = 0;  ///< Where it ended by itself.
  int signal = 0;      ///< That killed it; 0 = none.
};

/// A child process. Unless it outlives this one, it gets SIGTERM when this process is killed, so
/// that it saves its work and ends. It has a process group of its own, which Ctrl-C in the
/// terminal does not reach. It must be started and waited for on the same, long-lived
/// thread.
class ChildProcess {
 public:
  struct Options {
    std::filesystem::path log = {};  ///< Its output is appended there; empty = to standard error.
    int inherited = -1;              ///< An open file that it keeps; -1 = none.
    std::vector<std::string> environment = {};  ///< "NAME=VALUE", before those of this process.
    bool outlives = false;  ///< It goes on when this process, its terminal or this object ends.
  };

  /// `arguments`: with the program's path first. Throws Error where the process or the log can't be
  /// created.
  ChildProcess(const std::vector<std::string>& arguments, const Options& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  /// Asks a process that still runs to end, and waits for it; one that outlives this goes on.
  ~ChildProcess();

  /// How it ended; nothing while it runs.
  std::optional<ProcessEnd> poll();

  /// Asks it to save and to end (SIGTERM).
  void requestStop();

  /// Ends it at once (SIGKILL).
  void kill();

 private:
  pid_t pid_ = -1;
  bool outlives_ = false;
  std::optional<ProcessEnd> end_;
};

}  // namespace lambda
