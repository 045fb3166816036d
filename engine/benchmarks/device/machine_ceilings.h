#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/benchmarks/measuring/vector_ceilings.h"
#include "engine/runtime/device.h"

namespace lambda {

/// The lowest of several measurements of the same ceilings.
struct LowestCeilings {
  double multiplyAdd = 0;  ///< FLOP/s with the best instruction set.
  double bfloat16 = 0;     ///< The same for products in bfloat16.
  double gemmFloat32 = 0;
  double gemmBfloat16 = 0;
  double copyBandwidth = 0;

  bool operator==(const LowestCeilings&) const = default;
};

/// The measured peak rates of a device, on the CPU with a number of threads. Of several
/// measurements, each rate is the highest.
struct MachineCeilings {
  ComputeDevice device;
  std::vector<InstructionSetPeak> multiplyAdd;  ///< In float32; empty for a GPU.
  std::vector<InstructionSetPeak> bfloat16;     ///< Empty for a GPU, and for CPUs without it.
  double gemmFloat32 = 0;  ///< FLOP/s of LibTorch's product of two square matrices.
  double gemmBfloat16 =
      0;  ///< The same in bfloat16; 0 for CPUs without it: LibTorch's takes minutes.
  double copyBandwidth = 0;  ///< Bytes/s, read and written bytes together.
  int measurements = 1;
  LowestCeilings lowest = {};  ///< Of these measurements.

  /// Adds another measurement of the same device and number of threads.
  void add(const MachineCeilings& other);

  /// FLOP/s of float32 multiply-adds with the best instruction set.
  double multiplyAddPeak() const { return highestOf(multiplyAdd); }

  /// The FLOP/s that work is compared with: a large matrix product in the work's precision on a
  /// GPU; between registers on the CPU, which computes in float32 where its products in bfloat16
  /// are not faster.
  double peakOf(Precision precision) const {
    const bool isBfloat16 = precision == Precision::bfloat16;
    if (device.kind == DeviceKind::cuda) return isBfloat16 ? gemmBfloat16 : gemmFloat32;
    return isBfloat16 ? std::max(multiplyAddPeak(), highestOf(bfloat16)) : multiplyAddPeak();
  }

  static double highestOf(const std::vector<InstructionSetPeak>& peaks) {
    double highest = 0;
    for (const InstructionSetPeak& each : peaks) highest = std::max(highest, each.flopsPerSecond);
    return highest;
  }
};

/// Measures the ceilings in a second or two. LibTorch keeps the device's number of threads
/// afterwards.
MachineCeilings measureCeilings(const ComputeDevice& device);

}  // namespace lambda
