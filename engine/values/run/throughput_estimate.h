#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// What training a configuration costs on this machine, measured with real training steps.
struct ThroughputEstimate {
  int steps = 0;               ///< Measured, warm-up excluded.
  double secondsPerStep = 0;   ///< Median, including the time to make the batch.
  double imagesPerSecond = 0;  ///< Batch size over that median.
  /// Estimated time of one epoch: its training and, at its end, the scoring of the sample of
  /// training images and of the validation images.
  double secondsPerEpoch = 0;
  double evaluationSeconds = 0;  ///< The part of `secondsPerEpoch` for the scoring.
  std::uint64_t peakResidentBytes =
      0;  ///< Peak memory of the whole process during the measurement.
  std::uint64_t residentGrowthBytes = 0;  ///< Growth of the process during the measurement.
  bool syntheticData = false;             ///< Random pixels replaced data that could not be found.
  std::string device;                     ///< "cpu", or the GPU's name.
  int threads = 1;

  bool operator==(const ThroughputEstimate&) const = default;
};

}  // namespace lambda
