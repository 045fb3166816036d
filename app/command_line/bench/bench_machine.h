#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "benchmarks/foreign_load.h"
#include "benchmarks/machine_ceilings.h"
#include "engine/runtime/environment.h"

namespace lambda {

/// What a benchmark ran on: the machine, its ceilings as measured in the same run, and who else
/// used its cores from this object's construction on.
class BenchMachine {
 public:
  BenchMachine();

  /// Measured once for each number of threads. LibTorch goes on with that number.
  const MachineCeilings& ceilings(int threads);

  /// What makes the figures doubtful; empty where nothing does.
  std::vector<std::string> warnings() const;

  /// The same on standard error, for a report that only programs read.
  void printWarnings(ProgressLine& line) const;

  /// The object "machine" of a report.
  nlohmann::ordered_json json() const;

  /// The same for people: what the machine is and can do at most, and all warnings.
  std::string text() const;

 private:
  Environment environment_;
  ForeignLoad load_;
  std::map<int, MachineCeilings> ceilings_;
};

}  // namespace lambda
