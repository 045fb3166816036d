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
  double gemmFloat32 = 0;    ///< FLOP/s of LibTorch's product of two square matrices.
  double gemmBfloat16 = 0;   ///< The same in bfloat16.
  double copyBandwidth = 0;  ///< Bytes/s, read and written bytes together.
  int measurements = 1;
  LowestCeilings lowest = {};  ///< Of these measurements.

  /// Adds another measurement of the same device and number of threads.
  void add(const MachineCeilings& other);

  /// FLOP/s of float32 multiply-adds with the best instruction set.
  double multiplyAddPeak() const {
    double most = 0;
    for (const InstructionSetPeak& each : multiplyAdd) most = std::max(most, each.flopsPerSecond);
    return most;
  }

  /// The FLOP/s that work is compared with: of float32 multiply-adds on the CPU, of a large matrix
  /// product in the work's precision on a GPU. For bfloat16 on the CPU it is the higher of the two.
  double peakOf(Precision precision) const {
    const double product = precision == Precision::bfloat16 ? gemmBfloat16 : gemmFloat32;
    if (device.kind == DeviceKind::cuda) return product;
    return precision == Precision::bfloat16 ? std::max(multiplyAddPeak(), product)
                                            : multiplyAddPeak();
  }
};

/// Measures the ceilings in a second or two. LibTorch keeps the device's number of threads
/// afterwards.
MachineCeilings measureCeilings(const ComputeDevice& device);

}  // namespace lambda
