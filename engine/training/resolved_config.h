#pragma once

#include "engine/runtime/device.h"
#include "engine/values/precision_choice.h"
#include "engine/values/run_config.h"

namespace lambda {

/// A configuration of which nothing is left open on this machine: its device is chosen, and its
/// precision is float32 or bfloat16. Data, state and steps of a run are made from one, so that none
/// of them can meet a precision that is still automatic.
class ResolvedConfig {
 public:
  /// Chooses the device, sets the number of threads of the calling thread, and measures the
  /// precision where it is automatic. Throws Error for a device that is missing.
  explicit ResolvedConfig(RunConfig config);

  /// The same on a device that was chosen before.
  ResolvedConfig(RunConfig config, const ComputeDevice& device);

  const RunConfig& config() const { return config_; }

  const ComputeDevice& device() const { return device_; }

  /// What the precision was chosen by; zeros where the configuration named one.
  const PrecisionRates& precisionRates() const { return rates_; }

 private:
  RunConfig config_;
  ComputeDevice device_;
  PrecisionRates rates_;
};

}  // namespace lambda
