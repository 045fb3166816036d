#include "engine/benchmarks/device/machine_ceilings.h"

#include <algorithm>
#include <cstdint>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/benchmarks/device/bfloat16_peaks.h"
#include "engine/benchmarks/device/device_clock.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

/// Sides of the square matrices, large enough for any blocking to pay off.
constexpr std::int64_t kMatrixSide = 1024;
constexpr std::int64_t kMatrixSideOnGpu = 8192;

constexpr int kProducts = 5;

/// Bytes of the copied blocks on a GPU.
constexpr std::size_t kCopyBytesOnGpu = std::size_t{1} << 30;

constexpr int kCopiesOnGpu = 10;

double productRate(const at::Device& device, at::ScalarType type) {
  const at::InferenceMode noGradients;
  const std::int64_t length = device.is_cuda() ? kMatrixSideOnGpu : kMatrixSide;
  const at::Tensor a = at::randn({length, length}, device).to(type);
  const at::Tensor b = at::randn({length, length}, device).to(type);
  at::Tensor c = at::mm(a, b);
  double best = 0;
  for (int i = 0; i < kProducts; ++i) {
    const Laps laps = timeCall(device, [&](const EndPart& endPart) {
      at::mm_out(c, a, b);
      endPart();
    });
    const auto side = static_cast<double>(length);
    best = std::max(best, 2 * side * side * side / laps.front());
  }
  return best;
}

double copyBandwidthOn(const at::Device& gpu) {
  const at::Tensor from = at::zeros({static_cast<std::int64_t>(kCopyBytesOnGpu)},
                                    at::TensorOptions(at::kByte).device(gpu));
  at::Tensor to = from.clone();
  double best = 0;
  for (int i = 0; i < kCopiesOnGpu; ++i) {
    const Laps laps = timeCall(gpu, [&](const EndPart& endPart) {
      to.copy_(from);
      endPart();
    });
    best = std::max(best, 2 * static_cast<double>(kCopyBytesOnGpu) / laps.front());
  }
  return best;
}

/// Raises peaks to another measurement of the same instruction sets.
void raise(std::vector<InstructionSetPeak>& peaks, const std::vector<InstructionSetPeak>& others) {
  for (std::size_t i = 0; i < std::min(peaks.size(), others.size()); ++i) {
    double& peak = peaks[i].flopsPerSecond;
    peak = std::max(peak, others[i].flopsPerSecond);
  }
}

}  // namespace

void MachineCeilings::add(const MachineCeilings& other) {
  lowest = {std::min(lowest.multiplyAdd, other.lowest.multiplyAdd),
            std::min(lowest.bfloat16, other.lowest.bfloat16),
            std::min(lowest.gemmFloat32, other.lowest.gemmFloat32),
            std::min(lowest.gemmBfloat16, other.lowest.gemmBfloat16),
            std::min(lowest.copyBandwidth, other.lowest.copyBandwidth)};
  raise(multiplyAdd, other.multiplyAdd);
  raise(bfloat16, other.bfloat16);
  gemmFloat32 = std::max(gemmFloat32, other.gemmFloat32);
  gemmBfloat16 = std::max(gemmBfloat16, other.gemmBfloat16);
  copyBandwidth = std::max(copyBandwidth, other.copyBandwidth);
  measurements += other.measurements;
}

MachineCeilings measureCeilings(const ComputeDevice& device) {
  at::set_num_threads(device.threads);
  const at::Device where = torchDevice(device);
  MachineCeilings ceilings;
  ceilings.device = device;
  if (where.is_cpu()) {
    ceilings.multiplyAdd = multiplyAddPeaks(device.threads);
    ceilings.bfloat16 = bfloat16Peaks(device.threads);
  }
  ceilings.gemmFloat32 = productRate(where, at::kFloat);
  if (where.is_cuda() || !ceilings.bfloat16.empty())
    ceilings.gemmBfloat16 = productRate(where, at::kBFloat16);
  ceilings.copyBandwidth =
      where.is_cpu() ? copyBandwidth(device.threads, copyBytes()) : copyBandwidthOn(where);
  ceilings.lowest = {ceilings.multiplyAddPeak(),
                     MachineCeilings::highestOf(ceilings.bfloat16),
                     ceilings.gemmFloat32,
                     ceilings.gemmBfloat16,
                     ceilings.copyBandwidth};
  return ceilings;
}

}  // namespace lambda
