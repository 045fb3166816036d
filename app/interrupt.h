#pragma once

#include <functional>
#include <memory>

namespace lambda {

/// While an object lives, SIGINT, SIGTERM and SIGHUP request an orderly end instead of killing the
/// process, and a closed pipe is an error of the write instead of a signal. The first signal calls
/// `requested` on a thread of this object; a second one ends the process at once, as if it had
/// killed it. Only one object may exist at a time.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> requested);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// 128 + the number of the first signal, the exit status of a process that followed it; 0 where
  /// there was none.
  int exitStatus() const;

 private:
  struct Watch;

  std::unique_ptr<Watch> watch_;
};

}  // namespace lambda
