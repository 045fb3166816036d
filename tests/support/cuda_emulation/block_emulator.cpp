#include "tests/support/cuda_emulation/block_emulator.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define LAMBDA_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LAMBDA_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef LAMBDA_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

// Pushes the registers that a call preserves, stores the stack pointer in *from, and returns on the
// stack `to`.
extern "C" void lambdaSwitchStack(void** from, void* to);

asm(R"(
  .text
  .type lambdaSwitchStack, @function
lambdaSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size lambdaSwitchStack, . - lambdaSwitchStack
)");

namespace lambda::emulation {

namespace {

void atBarrier(const Arguments& /*arguments*/) {}

/// A thread of a block; it has a separate stack and can be suspended at any point.
class Fibre {
 public:
  Fibre() : stack_(new std::uintptr_t[kStackWords]) {}

  void start(unsigned index, const std::function<void()>& thread) {
    index_ = index;
    thread_ = &thread;
    isDone_ = false;
    // lambdaSwitchStack() pops six registers and a return address. The stack pointer is then 8
    // bytes off a multiple of 16, as after a call.
    std::uintptr_t* const end = stack_.get() + kStackWords;
    std::uintptr_t* const saved = std::fill_n(end - 8, 6, 0);
    saved[0] = reinterpret_cast<std::uintptr_t>(&run);
    own_ = end - 8;
  }

  /// Runs the thread until it calls leave() or is done.
  void resume() {
    running = this;
    perform = nullptr;
#ifdef LAMBDA_ADDRESS_SANITIZER
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stack_.get(), kStackWords * sizeof(std::uintptr_t));
#endif
    lambdaSwitchStack(&caller_, own_);
#ifdef LAMBDA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  /// Called from inside the thread: returns to the caller of resume().
  void leave() {
#ifdef LAMBDA_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(isDone_ ? nullptr : &fake_, callerStack_, callerStackBytes_);
#endif
    lambdaSwitchStack(&own_, caller_);
#ifdef LAMBDA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake_, &callerStack_, &callerStackBytes_);
#endif
  }

  unsigned index() const {
    return index_;
  }

  bool isDone() const {
    return isDone_;
  }

  static Fibre* running;

  Perform perform = nullptr;  ///< The operation that the thread waits for.
  void* argument = nullptr;

 private:
  static constexpr std::size_t kStackWords = std::size_t{1} << 15;

  static void run() {
    Fibre& self = *running;
#ifdef LAMBDA_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &self.callerStack_, &self.callerStackBytes_);
#endif
    (*self.thread_)();
    self.isDone_ = true;
    self.leave();
  }

  std::unique_ptr<std::uintptr_t[]> stack_;
  void* own_ = nullptr;
  void* caller_ = nullptr;
  const std::function<void()>* thread_ = nullptr;
  unsigned index_ = 0;
  bool isDone_ = false;
#ifdef LAMBDA_ADDRESS_SANITIZER
  void* fake_ = nullptr;
  const void* callerStack_ = nullptr;
  std::size_t callerStackBytes_ = 0;
#endif
};

Fibre* Fibre::running = nullptr;

CurrentThread current;
Order order = Order::forward;
std::vector<std::byte> shared;

/// The 32 threads that perform warp operations together.
class Warp {
 public:
  explicit Warp(Fibre* fibres) : fibres_(fibres) {}

  /// Runs until all threads are at the block's barrier or all are done.
  void run() {
    do {
      for (unsigned i = 0; i < kLanes; ++i) {
        Fibre& fibre = fibres_[order == Order::forward ? i : kLanes - 1 - i];
        if (fibre.isDone()) continue;
        current.threadIndex.x = fibre.index();
        fibre.resume();
      }
    } while (meetings());
  }

  bool isDone() const { return fibres_->isDone(); }

 private:
  /// Performs the operation that all lanes wait for, if it is one of the warp. Returns whether it
  /// was. Throws std::logic_error if the lanes wait for different operations.
  bool meetings() {
    Arguments arguments;
    for (unsigned i = 0; i < kLanes; ++i) {
      const bool isSame = fibres_[i].isDone() == fibres_->isDone() &&
                          (fibres_->isDone() || fibres_[i].perform == fibres_->perform);
      if (!isSame) {
        throw std::logic_error("emulation: thread " + std::to_string(fibres_[i].index()) +
                               " of block " + std::to_string(current.blockIndex.x) +
                               " does not wait for the same operation as its warp");
      }
      arguments[i] = fibres_[i].argument;
    }
    if (isDone() || fibres_->perform == atBarrier) return false;
    fibres_->perform(arguments);
    return true;
  }

  Fibre* fibres_;
};

void runBlock(std::vector<Fibre>& fibres, const std::function<void()>& thread) {
  std::vector<Warp> warps;
  for (unsigned i = 0; i < fibres.size(); ++i) {
    fibres[i].start(i, thread);
    if (i % kLanes == 0) warps.emplace_back(&fibres[i]);
  }
  if (order == Order::backward) std::ranges::reverse(warps);
  // Between two barriers a warp runs alone; a barrier does not wait for threads that are done.
  while (!warps.empty()) {
    for (Warp& warp : warps) warp.run();
    std::erase_if(warps, [](const Warp& warp) { return warp.isDone(); });
  }
}

}  // namespace

const CurrentThread& currentThread() {
  return current;
}

void setOrder(Order order_) {
  order = order_;
}

void runGrid(unsigned blocks,
             unsigned threads,
             std::size_t sharedBytes,
             const std::function<void()>& thread) {
  if (threads == 0 || threads % kLanes != 0)
    throw std::logic_error("emulation: the threads of a block must be a multiple of 32");
  std::vector<Fibre> fibres(threads);
  current.blockSize.x = threads;
  for (unsigned block = 0; block < blocks; ++block) {
    current.blockIndex.x = block;
    shared = std::vector<std::byte>(sharedBytes, std::byte{0xFF});
    runBlock(fibres, thread);
  }
}

void* sharedMemory() {
  return shared.data();
}

void meetWarp(Perform perform, void* argument) {
  Fibre& self = *Fibre::running;
  self.perform = perform;
  self.argument = argument;
  self.leave();
}

void meetBlock() {
  meetWarp(atBarrier, nullptr);
}

}  // namespace lambda::emulation
