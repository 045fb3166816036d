#pragma once

#include <memory>

#include "engine/runtime/device.h"
#include "engine/values/config/precision_choice.h"
#include "engine/values/config/run_config.h"

namespace lambda {

class SpinLimit;

/// A configuration without automatic settings, for this machine: its device is chosen, and its
/// precision is float32 or bfloat16. Data, state and steps of a run are made from one, so that they
/// never meet an automatic precision.
class ResolvedConfig {
 public:
  /// Chooses the device, sets the number of threads and the GPU of the calling thread, and measures
  /// the precision where it is automatic. While it or a copy lives, the threads spin only shortly
  /// on cores that other programs use. Throws Error for a device that is missing.
  explicit ResolvedConfig(RunConfig config);

  /// The same on a device that is already chosen.
  ResolvedConfig(RunConfig config, const ComputeDevice& device);

  const RunConfig& config() const { return config_; }

  const ComputeDevice& device() const { return device_; }

  /// The rates that decided the precision; zeros if the configuration named one.
  const PrecisionRates& precisionRates() const { return rates_; }

 private:
  RunConfig config_;
  ComputeDevice device_;
  std::shared_ptr<const SpinLimit> spins_;
  PrecisionRates rates_;
};

}  // namespace lambda
