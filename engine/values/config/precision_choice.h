#pragma once

#include <string>

#include "engine/values/config/run_config.h"

namespace lambda {

/// FLOP/s of a convolution, forward and backward, in each precision on a GPU or on one core of a
/// processor; 0 where it was not measured.
struct PrecisionRates {
  double float32 = 0;
  double bfloat16 = 0;  ///< Not measured on a processor without arithmetic in bfloat16.

  /// Whether a precision was chosen by these rates.
  bool wereMeasured() const { return float32 > 0; }

  bool operator==(const PrecisionRates&) const = default;
};

/// Automatic precision chooses bfloat16 only if it is at least this many times as fast as float32:
/// rounding to 8 bits has to pay off, and measurements on a busy machine vary by a tenth.
inline constexpr double kBfloat16Gain = 1.2;

/// The precision that Precision::automatic chooses on a device with these rates.
Precision fasterPrecision(const PrecisionRates& rates);

/// "bfloat16, as measured: 411 GFLOP/s, 207 in float32"; only the name if nothing was measured.
std::string precisionText(Precision chosen, const PrecisionRates& rates);

}  // namespace lambda
