#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_folder.h"
#include "engine/values/run/run_record.h"

namespace lambda::test {

/// A plausible record of a finished run: a hybrid of two stages with a lambda layer.
inline RunRecord finishedRecord(const std::string& name) {
  RunRecord record;
  record.config.name = name;
  record.config.architecture.family = Family::plain;
  record.config.architecture.stages = {
      Stage{32, 2, {Block{ConvolutionMixer{}}}},
      Stage{32, 2, {Block{ConvolutionMixer{}}, Block{LambdaMixer{}}}},
  };
  record.config.recipe.epochs = 6;
  record.pattern = patternOf(record.config.architecture);
  record.status = RunStatus::finished;
  record.epochsDone = 6;
  record.bestValidationScore = 0.9;
  record.testScore = 0.89;
  record.testEvaluations = 1;
  record.trainSeconds = 60;
  record.imagesPerSecond = 500;
  record.parameters = 27994;
  record.flops = 17498752;
  record.environment.device = "cpu";
  record.environment.started = "2026-11-21T01:02:23Z";
  return record;
}

/// Writes the run folder `folder` as a training process does, and returns its path.
inline std::filesystem::path writeRun(const std::filesystem::path& library,
                                      const std::string& folder,
                                      const RunRecord& record) {
  const std::filesystem::path path = library / folder;
  std::filesystem::create_directories(path / "checkpoints");
  writeRunRecord(path / "run.json", record);
  return path;
}

inline EpochRecord epochRecord(int epoch, double accuracy) {
  EpochRecord record;
  record.epoch = epoch;
  record.step = epoch * 10;
  record.seconds = epoch * 2.5;
  record.train = {1 - accuracy, accuracy};
  record.validation = Scores{1.1 - accuracy, accuracy};
  record.learningRate = 0.1;
  record.imagesPerSecond = 500;
  return record;
}

/// Appends to a file, as a training process does to its metrics.
inline void appendText(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::app) << text;
}

}  // namespace lambda::test
