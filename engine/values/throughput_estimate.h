#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// What training a configuration costs on this machine, measured with real training steps.
struct ThroughputEstimate {
  int steps = 0;               ///< Measured, warm-up excluded.
  double secondsPerStep = 0;   ///< Median, the making of the batch included.
  double imagesPerSecond = 0;  ///< Batch size over that median.
  /// One epoch's training and, at its end, the scoring of the sample of training images and of the
  /// validation images. Estimated.
  double secondsPerEpoch = 0;
  double evaluationSeconds = 0;         ///< Of these, the scoring.
  std::uint64_t peakResidentBytes = 0;  ///< Memory of the whole process at its greatest, meanwhile.
  std::uint64_t residentGrowthBytes = 0;  ///< By how much the process grew while measuring.
  bool syntheticData = false;  ///< Random pixels stood in for data that could not be found.
  std::string device;          ///< "cpu", or the GPU's name.
  int threads = 1;

  bool operator==(const ThroughputEstimate&) const = default;
};

}  // namespace lambda
