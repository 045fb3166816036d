#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/benchmarks/benchmark_row.h"
#include "engine/benchmarks/machine_ceilings.h"

namespace lambda {

/// Benchmarks measure in seconds and report milliseconds.
inline constexpr double kMsPerSecond = 1e3;

/// A row with the machine's ceilings for its number of threads.
struct ReportedRow {
  BenchmarkRow row;
  MachineCeilings ceilings;
};

/// {"case", "ours": ms, "rivals": {NAME: ms}, "ratio": {NAME: times ours}, ...}
nlohmann::ordered_json rowJson(const ReportedRow& reported);

/// All rows as a table: our milliseconds, how many times as long each rival takes, the share of the
/// multiply-add peak or, on a GPU, of the floor, and extra memory.
std::string rowsText(const std::vector<ReportedRow>& rows);

/// "0.413", "12.8": milliseconds with three significant digits.
std::string millisecondsText(double seconds);

}  // namespace lambda
