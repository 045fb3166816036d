#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/benchmarks/benchmark_row.h"
#include "engine/benchmarks/device/machine_ceilings.h"
#include "engine/runtime/error.h"

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

/// Why a row that is faster than its ceilings allow can't be right; empty for others.
std::string aboveCeilingText(const ReportedRow& reported);

/// All rows as a table: our milliseconds, how many times as long each rival takes, the share of the
/// multiply-add peak, on a GPU of the floor, or of the copy bandwidth where FLOPs are not counted,
/// and extra memory.
std::string rowsText(const std::vector<ReportedRow>& rows);

/// "0.413", "12.8": milliseconds with three significant digits.
std::string millisecondsText(double seconds);

/// The cases of a benchmark that could not be timed. The others are measured all the same.
class BenchFailures {
 public:
  /// Times a case by `work`. Keeps the reason if that throws an Error.
  template <class Work>
  void watch(const std::string& name, int threads, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      add(name, threads, error);
    }
  }

  /// [{"case", "threads", "error"}]
  const nlohmann::ordered_json& json() const { return failures_; }

  /// Prints the reasons on standard error, and returns the exit status of the benchmark.
  int report() const;

 private:
  void add(const std::string& name, int threads, const Error& error);

  nlohmann::ordered_json failures_ = nlohmann::ordered_json::array();
};

}  // namespace lambda
