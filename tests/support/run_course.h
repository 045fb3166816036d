#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_content.h"

namespace lambda {

/// What must be equal in two runs of the same course.
struct Course {
  std::map<std::string, std::vector<std::byte>> tensors;
  std::vector<double> losses;
  std::vector<double> rates = {};
  std::vector<EpochRecord> epochs;
  std::vector<std::pair<std::int64_t, std::string>> changeEvents = {};
  std::vector<RunChange> changes;
  std::vector<std::string> checkpoints = {};
  RunConfig config;
  std::optional<double> best;
  std::optional<double> test;

  bool operator==(const Course&) const = default;
};

inline Course courseOf(const std::filesystem::path& run) {
  const RunFolder folder = RunFolder::open(run);
  const Metrics metrics = readMetrics(folder.metrics());
  const RunRecord record = recordOf(run);
  Course course{.tensors = tensorsOf(run),
                .losses = lossesOf(run),
                .epochs = metrics.epochs,
                .changes = record.changes,
                .config = record.config,
                .best = record.bestValidationScore,
                .test = record.testScore};
  for (const BatchRecord& each : metrics.batches) course.rates.push_back(each.learningRate);
  for (EpochRecord& each : course.epochs) {
    each.seconds = each.imagesPerSecond = each.dataShare = 0;
  }
  for (const EventRecord& each : metrics.events) {
    if (each.kind == EventKind::changed) course.changeEvents.emplace_back(each.step, each.text);
  }
  for (const std::filesystem::path& path : folder.checkpointsNewestFirst()) {
    course.checkpoints.push_back(path.filename().string());
  }
  return course;
}

/// What differs first, for the message of a failed test.
inline const char* differenceOf(const Course& a, const Course& b) {
  if (a.changes != b.changes) return "the changes";
  if (a.rates != b.rates) return "the learning rates";
  if (a.losses != b.losses) return "the losses";
  if (a.epochs != b.epochs) return "the epochs";
  if (a.changeEvents != b.changeEvents) return "the events";
  if (a.tensors != b.tensors) return "the tensors";
  if (a.checkpoints != b.checkpoints) return "the checkpoints";
  if (!(a.config == b.config)) return "the configuration";
  return a.best != b.best || a.test != b.test ? "the results" : nullptr;
}

}  // namespace lambda
