#include "engine/benchmarks/device/device_clock.h"

#include <optional>

#include <c10/core/Event.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

/// Side of the matrices whose product keeps a GPU busy for a third of a millisecond.
constexpr std::int64_t kOtherWorkSide = 2048;

constexpr int kFewestProducts = 4;

/// More would fill CUDA's queue, which then makes the host wait.
constexpr int kMostProducts = 256;

constexpr double kSecondsPerMs = 1e-3;

using Timer = std::function<Laps(const TimedCall&)>;

std::vector<Repetitions> alternateBy(const Timer& timer,
                                     const std::vector<NextCall>& contenders,
                                     const AlternationOptions& options) {
  std::vector<std::function<Laps()>> timed;
  for (const NextCall& next : contenders) timed.emplace_back([&] { return timer(next()); });
  return alternate(timed, options);
}

}  // namespace

Laps timeCall(const at::Device& device, const TimedCall& call) {
  synchronize(device);
  Stopwatch clock;
  call([&] {
    synchronize(device);
    clock.lap();
  });
  return clock.laps();
}

TimesInTurns timeInTurns(const at::Device& device,
                         const std::vector<NextCall>& contenders,
                         const AlternationOptions& options) {
  if (device.is_cpu()) {
    const Timer timer = [&](const TimedCall& call) { return timeCall(device, call); };
    return {alternateBy(timer, contenders, options), {}};
  }
  QueuedTimer queued(device);
  const Timer onGpu = [&](const TimedCall& call) { return queued.time(call); };
  const Timer whole = [&](const TimedCall& call) {
    return timeCall(device, [&](const EndPart& endPart) {
      call([] {});
      endPart();
    });
  };
  return {alternateBy(onGpu, contenders, options), alternateBy(whole, contenders, options)};
}

QueuedTimer::QueuedTimer(const at::Device& device)
    : device_(device),
      factor_(at::rand({kOtherWorkSide, kOtherWorkSide}, device)),
      product_(at::empty_like(factor_)),
      products_(kFewestProducts) {}

Laps QueuedTimer::time(const TimedCall& call) {
  const c10::Stream stream = c10::impl::getDeviceGuardImpl(device_.type())->getStream(device_);
  for (bool again = false;; again = true) {
    std::vector<c10::Event> events;
    const auto record = [&] {
      events.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
      events.back().record(stream);
    };
    synchronize(device_);
    queueOtherWork();
    record();
    call(record);
    const bool waitedForHost = events.front().query();
    synchronize(device_);
    if (waitedForHost && products_ < kMostProducts) {
      // The first call of a kernel loads it, so the first long wait says nothing of the next calls.
      if (again) products_ *= 2;
      continue;
    }
    Laps laps;
    for (std::size_t i = 1; i < events.size(); ++i)
      laps.push_back(kSecondsPerMs * events[i - 1].elapsedTime(events[i]));
    return laps;
  }
}

void QueuedTimer::queueOtherWork() {
  const at::NoGradGuard noGradients;
  for (int i = 0; i < products_; ++i) at::mm_out(product_, factor_, factor_);
}

}  // namespace lambda
