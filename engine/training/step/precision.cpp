#include "engine/training/step/precision.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/cpu/Utils.h>
#include <torch/autograd.h>

#include "engine/layers/convolution/winograd_convolution.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

// Of a map in the middle of a network for 32x32 images.
constexpr std::int64_t kChannels = 128;
constexpr std::int64_t kSide = 16;
constexpr std::int64_t kKernel = 3;

constexpr std::int64_t kImages = 4;

/// On a GPU, where so few images would measure how long launches take.
constexpr std::int64_t kImagesOnGpu = 512;

constexpr int kFewestRounds = 4;
constexpr int kMostRounds = 20;

/// No round begins after these, once there are the fewest.
constexpr double kSecondsAtMost = 0.15;

/// Of a device's work, where it is waited for. On a CPU the time of this thread alone: what other
/// programs get in between is not in it.
double secondsOf(const at::Device& device) {
  if (!device.is_cpu()) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool computesInBfloat16(const at::Device& device) {
  if (!device.is_cpu()) return true;
  const auto capabilities = at::cpu::get_cpu_capabilities();
  const auto has = [&](const char* name) {
    const auto found = capabilities.find(name);
    return found != capabilities.end() && found->second.toBool();
  };
  return has("avx512_bf16") || has("amx_bf16");
}

/// [n, c, height, width] channels-last, without a random generator.
at::Tensor filled(at::IntArrayRef sizes, const at::TensorOptions& options) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return at::arange(count, options.dtype(at::kFloat))
      .sin()
      .view(sizes)
      .contiguous(at::MemoryFormat::ChannelsLast)
      .to(c10::typeMetaToScalarType(options.dtype()));
}

/// One thread for a scope. Where other programs want the cores, several wait for each other at the
/// end of every operation, and two precisions can come out in any proportion; those of one thread
/// and of many are alike.
class OneThread {
 public:
  explicit OneThread(const ComputeDevice& device) : after_(device) {
    ComputeDevice one = device;
    one.threads = 1;
    useThreads(one);
  }

  ~OneThread() { useThreads(after_); }

  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const ComputeDevice& after_;
};

/// A convolution, as networks have it, and its gradients in one precision.
class TimedConvolution {
 public:
  TimedConvolution(const at::Device& device, at::ScalarType type)
      : device_(device), images_(device.is_cuda() ? kImagesOnGpu : kImages) {
    const at::TensorOptions options = at::TensorOptions(device).dtype(type);
    x_ = filled({images_, kChannels, kSide, kSide}, options).requires_grad_(true);
    weight_ = filled({kChannels, kChannels, kKernel, kKernel}, options).requires_grad_(true);
  }

  void run() {
    synchronize(device_);
    const double start = secondsOf(device_);
    const at::Tensor y = winogradPays(x_, weight_) ? winogradConvolution(x_, weight_)
                                                   : at::conv2d(x_, weight_, {}, 1, kKernel / 2);
    // A gradient like any other.
    torch::autograd::grad({y}, {x_, weight_}, {y.detach()});
    synchronize(device_);
    const double seconds = secondsOf(device_) - start;
    best_ = best_ > 0 ? std::min(best_, seconds) : seconds;
  }

  /// Memory is fetched, kernels are made: not timed.
  void warmUp() {
    run();
    best_ = 0;
  }

  /// FLOP/s of the fastest run. The backward pass is two products as large as the forward one.
  double rate() const {
    const std::int64_t multiplyAdds =
        images_ * kSide * kSide * kChannels * kChannels * kKernel * kKernel;
    return 3 * 2 * static_cast<double>(multiplyAdds) / best_;
  }

 private:
  at::Device device_;
  std::int64_t images_;
  at::Tensor x_;
  at::Tensor weight_;
  double best_ = 0;
};

}  // namespace

PrecisionRates measurePrecisions(const ComputeDevice& chosen) {
  const OneThread oneThread(chosen);
  const at::Device device = torchDevice(chosen);
  std::vector<TimedConvolution> convolutions{{device, at::kFloat}};
  if (computesInBfloat16(device)) convolutions.emplace_back(device, at::kBFloat16);
  for (TimedConvolution& each : convolutions) each.warmUp();
  const double start = secondsOf(device);
  for (int i = 0; i < kMostRounds; ++i) {
    if (i >= kFewestRounds && secondsOf(device) - start > kSecondsAtMost) break;
    for (TimedConvolution& each : convolutions) each.run();
  }
  return {convolutions.front().rate(), convolutions.size() > 1 ? convolutions.back().rate() : 0};
}

PrecisionRates resolvePrecision(
    Recipe& recipe,
    const ComputeDevice& device,
    const std::function<PrecisionRates(const ComputeDevice&)>& measure) {
  if (recipe.precision != Precision::automatic) return {};
  const PrecisionRates rates = measure(device);
  recipe.precision = fasterPrecision(rates);
  return rates;
}

}  // namespace lambda
