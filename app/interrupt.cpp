#include "app/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <time.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr int kStatusOfSignal = 128;

// timeout(1), and a shell whose terminal closes, send a signal to the process and to its group: the
// same request twice.
constexpr long long kSameRequestMs = 300;

std::atomic<int> firstSignal{0};
std::atomic<long long> firstSignalMs{0};
std::atomic<int> wakePipe{-1};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<long long>::is_always_lock_free,
              "a signal handler may touch no other atomics");

long long nowMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

/// Calls only functions that POSIX lists as async-signal-safe.
extern "C" void onSignal(int signal) {
  const int savedErrno = errno;
  int none = 0;
  if (firstSignal.compare_exchange_strong(none, signal)) {
    firstSignalMs = nowMs();
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = write(wakePipe, &byte, 1);
  } else if (nowMs() - firstSignalMs > kSameRequestMs) {
    _exit(kStatusOfSignal + signal);
  }
  errno = savedErrno;
}

}  // namespace

struct Interrupt::Watch {
  std::array<int, 2> pipe{-1, -1};
  std::array<struct sigaction, kSignals.size()> previous{};

  struct sigaction previousPipe {};

  std::thread thread;
};

Interrupt::Interrupt(std::function<void()> requested) : watch_(std::make_unique<Watch>()) {
  if (pipe2(watch_->pipe.data(), O_CLOEXEC) != 0) {
    throw Error("", "no pipe can be opened for signals", "close other programs and try again");
  }
  firstSignal = 0;
  wakePipe = watch_->pipe[1];
  watch_->thread = std::thread([input = watch_->pipe[0], requested = std::move(requested)] {
    char byte = 0;
    while (read(input, &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte != 0) requested();
  });

  struct sigaction action {};

  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &watch_->previous[i]);
    // nohup(1) and shells without job control ask a process to ignore some of them.
    if (watch_->previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }

  struct sigaction ignore {};

  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &watch_->previousPipe);
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &watch_->previous[i], nullptr);
  }
  sigaction(SIGPIPE, &watch_->previousPipe, nullptr);
  wakePipe = -1;
  close(watch_->pipe[1]);
  watch_->thread.join();
  close(watch_->pipe[0]);
}

int Interrupt::exitStatus() const {
  const int signal = firstSignal;
  return signal == 0 ? 0 : kStatusOfSignal + signal;
}

}  // namespace lambda
