#pragma once

#include <cstdint>
#include <mutex>

#include <ATen/Context.h>

namespace lambda {

/// LibTorch's modules draw their initial weights from one generator that all threads share. This
/// reserves it for one thread within a scope, and restores its state at the end.
class BorrowedGenerator {
 public:
  BorrowedGenerator() : turn_(mutex()) {
    const std::lock_guard lock(generator_.mutex());
    before_ = generator_.get_state();
  }

  ~BorrowedGenerator() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(before_);
  }

  BorrowedGenerator(const BorrowedGenerator&) = delete;
  BorrowedGenerator& operator=(const BorrowedGenerator&) = delete;

  void seed(std::uint64_t seed) {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_current_seed(seed);
  }

  /// A generator that continues from the present state of this one.
  at::Generator copy() {
    const std::lock_guard lock(generator_.mutex());
    return generator_.clone();
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> turn_;
  at::Generator generator_ = at::globalContext().defaultGenerator(at::kCPU);
  at::Tensor before_;
};

}  // namespace lambda
