#pragma once

#include <fstream>
#include <optional>
#include <vector>

#include "engine/experiments/experiment_folder.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_folder.h"

namespace lambda {

/// Writes the record of a run of an experiment as a training of one epoch leaves it.
inline void writeRunOf(const ExperimentFolder& folder,
                       const PlannedRun& run,
                       RunStatus status,
                       std::optional<double> accuracy = {}) {
  RunFolder::createNamed(folder.runs(), folder.nameOf(run));
  RunRecord record;
  record.config = folder.plan().configOf(run);
  record.status = status;
  record.statusText = status == RunStatus::failed ? "the loss is not finite" : "";
  record.testScore = accuracy;
  record.parameters = 7200;
  record.epochsDone = 1;
  writeRunRecord(folder.runFolder(run) / "run.json", record);
}

/// A training as its record and its metrics describe it.
struct WrittenTraining {
  std::vector<double> accuracies;  ///< Validation accuracy after each epoch; the loss is 1 less it.
  RunStatus status = RunStatus::finished;
  std::int64_t parameters = 7200;
  std::int64_t flops = 1'000'000;
  double imagesPerSecond = 500;
};

/// Writes a run of an experiment with its curve. Its test accuracy is the last validation accuracy.
inline void writeTraining(const ExperimentFolder& folder,
                          const PlannedRun& run,
                          const WrittenTraining& training) {
  const std::filesystem::path path = folder.runFolder(run);
  if (!std::filesystem::exists(path)) {
    RunFolder::createNamed(folder.runs(), folder.nameOf(run));
  }
  std::ofstream metrics(path / "metrics.jsonl");
  int epoch = 0;
  for (const double accuracy : training.accuracies) {
    BatchRecord batch;
    batch.epoch = ++epoch;
    EpochRecord record;
    record.epoch = epoch;
    record.train.loss = 2 * (1 - accuracy);
    record.validation = Scores{1 - accuracy, accuracy};
    metrics << toLine(batch) << toLine(record);
  }
  metrics.close();
  RunRecord record;
  record.config = folder.plan().configOf(run);
  record.status = training.status;
  record.epochsDone = epoch;
  record.trainSeconds = 10 * epoch;
  record.parameters = training.parameters;
  record.flops = training.flops;
  record.imagesPerSecond = training.imagesPerSecond;
  if (training.status == RunStatus::finished) record.testScore = training.accuracies.back();
  writeRunRecord(path / "run.json", record);
}

}  // namespace lambda
