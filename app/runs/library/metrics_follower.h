#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/runs/library/run_scanner.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// The metrics of some runs, updated with the lines that their processes append. Not thread-safe.
class MetricsFollower {
 public:
  struct News {
    std::filesystem::path run;
    std::shared_ptr<const Metrics> metrics;  ///< Everything so far.
    std::string problem;                     ///< Why the file can't be read; empty where it can.
  };

  /// Reads a run's metrics, and updates them with each poll().
  News follow(const std::filesystem::path& run);

  void forget(const std::filesystem::path& run) { followed_.erase(run); }

  /// The new metrics of the runs whose files have changed.
  std::vector<News> poll();

 private:
  struct Followed {
    explicit Followed(const std::filesystem::path& file) : tail(file) {}

    MetricsTail tail;
    FileStamp stamp;
    std::shared_ptr<const Metrics> metrics = std::make_shared<const Metrics>();
    std::string problem;
  };

  static News read(const std::filesystem::path& run, Followed& followed);

  std::map<std::filesystem::path, Followed> followed_;
};

}  // namespace lambda
