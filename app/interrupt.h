#pragma once

#include <functional>
#include <memory>

namespace lambda {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for an orderly end instead of killing the
/// process, and a closed pipe is an error of the write instead of a signal. The first of them calls
/// `requested` on a thread of this object; a second one leaves the process at once, as killed by
/// it. One at a time.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> requested);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// 128 + the number of the first signal, the exit status of a process that heeded it; 0 where
  /// none came.
  int exitStatus() const;

 private:
  struct Watch;

  std::unique_ptr<Watch> watch_;
};

}  // namespace lambda
