#pragma once

#include <map>
#include <string>
#include <utility>
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

  /// Measures the ceilings of the device with a number of threads once more, which is done before
  /// and after every row: a machine that becomes faster must not put a row above its ceilings.
  /// LibTorch keeps that number of threads afterwards.
  void measureCeilings(int threads);

  /// The device with a number of threads.
  ComputeDevice deviceWith(int threads) const;

  /// The highest of all measurements so far; there must be one.
  const MachineCeilings& ceilings(int threads) const { return ceilings_.at(threads); }

  /// Adds a reason to doubt the results.
  void addWarning(std::string warning) { found_.push_back(std::move(warning)); }

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
  std::vector<std::string> found_;  ///< Warnings that were added.
};

}  // namespace lambda
