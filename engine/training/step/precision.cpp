#include "engine/training/step/precision.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/cpu/Utils.h>
#include <torch/autograd.h>

#include "engine/formats/files/cache_folder.h"
#include "engine/formats/json/precision_cache.h"
#include "engine/layers/convolution/same_convolution.h"
#include "engine/layers/layer_path.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

// The size of a feature map in the middle of a network for 32x32 images.
constexpr std::int64_t kChannels = 128;
constexpr std::int64_t kSide = 16;
constexpr std::int64_t kKernel = 3;

constexpr std::int64_t kImages = 4;

/// Images on a GPU: with kImages the time would be that of the kernel launches.
constexpr std::int64_t kImagesOnGpu = 512;

constexpr int kFewestRounds = 4;
constexpr int kMostRounds = 20;

/// No round starts after this time, once kFewestRounds are done.
constexpr double kSecondsAtMost = 0.15;

/// A clock in seconds for the work of a device. On a CPU it is the processor time of this thread,
/// which excludes the time that other programs take. On a GPU it is the wall clock, so the caller
/// must synchronise before reading it.
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

/// A channels-last tensor [n, c, height, width] of varied values, without a random generator.
at::Tensor filled(at::IntArrayRef sizes, const at::TensorOptions& options) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return at::arange(count, options.dtype(at::kFloat))
      .sin()
      .view(sizes)
      .contiguous(at::MemoryFormat::ChannelsLast)
      .to(c10::typeMetaToScalarType(options.dtype()));
}

/// Limits tensor work to one thread for a scope. If other programs use the cores, several threads
/// wait for each other at the end of every operation, and the ratio of the two precisions becomes
/// arbitrary. The ratio on one thread is about that on many.
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

/// A convolution of the kind that networks use, timed with its gradients in one precision.
class TimedConvolution {
 public:
  TimedConvolution(const at::Device& device, at::ScalarType type)
      : device_(device), images_(device.is_cuda() ? kImagesOnGpu : kImages) {
    const at::TensorOptions options = at::TensorOptions(device).dtype(type);
    x_ = filled({images_, kChannels, kSide, kSide}, options).requires_grad_(true);
    weight_ = filled({kChannels, kChannels, kKernel, kKernel}, options).requires_grad_(true);
    ConvolutionSizes sizes = ConvolutionSizes::of(x_, weight_);
    sizes.padding = {kKernel / 2, kKernel / 2};
    isOwn_ = convolutionPath(sizes, LayerInput::of(x_, weight_)).kernel != LayerKernel::library;
  }

  void run() {
    synchronize(device_);
    const double start = secondsOf(device_);
    const at::Tensor y =
        isOwn_ ? sameConvolution(x_, weight_) : at::conv2d(x_, weight_, {}, 1, kKernel / 2);
    // The output serves as its own gradient: any values do.
    torch::autograd::grad({y}, {x_, weight_}, {y.detach()});
    synchronize(device_);
    const double seconds = secondsOf(device_) - start;
    best_ = best_ > 0 ? std::min(best_, seconds) : seconds;
  }

  /// A run that is not counted: it allocates memory and builds kernels.
  void warmUp() {
    run();
    best_ = 0;
  }

  /// FLOP/s of the fastest run. The backward pass costs twice as much as the forward pass.
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
  bool isOwn_ = false;
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

PrecisionRates machinePrecisions(const ComputeDevice& device) {
  const std::filesystem::path cache = cacheFolder();
  if (cache.empty()) return measurePrecisions(device);
  const std::filesystem::path file = cache / "precision.json";
  const MeasuredMachine machine{.device = device.name,
                                .cpu = processorName(),
                                .torch = torchVersion(),
                                .program = programVersion()};
  if (const std::optional<PrecisionRates> kept = keptRates(file, machine)) return *kept;
  return keepRates(file, machine, measurePrecisions(device));
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
