#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/engine_lanes.h"
#include "engine/values/run/throughput_estimate.h"

namespace lambda {

/// The device that a training would use, with the reason for it.
struct DeviceChoice {
  ComputeDevice device;
  int cores = 0;  ///< Available cores of this machine.
};

struct CheckedStatement {
  StatementResult result;
  int count = 0;  ///< The number of all statements.
};

/// What the engine says about this machine and this build. Every request returns at once; a long
/// task whose future is cancelled ends within a batch.
class MachineService {
 public:
  /// `lanes` outlives it.
  explicit MachineService(EngineLanes& lanes) : lanes_(lanes) {}

  /// Determines which device a training would use, and why. The query of a GPU's driver takes a
  /// while.
  QFuture<DeviceChoice> selectDevice(const DeviceConfig& config);

  /// Times training steps on this machine, on data that is looked for as on all pages.
  QFuture<ThroughputEstimate> estimateThroughput(const RunConfig& config, int steps);

  /// Finds what a training would take from the weights that it starts from.
  QFuture<WeightTransfer> previewStart(const RunConfig& config,
                                       const std::vector<std::string>& classNames);

  /// Checks the statements of the papers. Each result comes as soon as it is known, and nothing as
  /// the last result once all are checked.
  QFuture<std::optional<CheckedStatement>> verifyStatements();

 private:
  EngineLanes& lanes_;
};

}  // namespace lambda
