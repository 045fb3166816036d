#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "engine/benchmarks/device/machine_ceilings.h"
#include "engine/benchmarks/measuring/other_load.h"
#include "engine/runtime/device.h"
#include "engine/runtime/environment.h"

namespace lambda {

/// The machine of a benchmark, the ceilings of its device as measured in the same run, and the load
/// by other programs since this object's construction.
class BenchMachine {
 public:
  explicit BenchMachine(const ComputeDevice& device = selectDevice({DeviceKind::cpu}));

  /// The ceilings of the device, measured once for each number of threads. LibTorch keeps that
  /// number afterwards.
  const MachineCeilings& ceilings(int threads);

  /// Reasons to doubt the results; empty where there are none.
  std::vector<std::string> warnings() const;

  /// Prints the warnings on standard error, for a report that only programs read.
  void printWarnings(ProgressLine& line) const;

  /// The object "machine" of a report.
  nlohmann::ordered_json json() const;

  /// A text with the machine, its ceilings and all warnings.
  std::string text() const;

 private:
  ComputeDevice device_;
  Environment environment_;
  OtherLoad load_;
  std::map<int, MachineCeilings> ceilings_;
};

}  // namespace lambda
