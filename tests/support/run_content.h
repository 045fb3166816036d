#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runs/run_folder.h"
#include "tests/support/tiny_run.h"

namespace lambda {

/// The bytes of all tensors in a run's last checkpoint, with which the run would resume.
inline std::map<std::string, std::vector<std::byte>> tensorsOf(const std::filesystem::path& run) {
  const SafeTensors file = readSafeTensors(RunFolder::open(run).lastCheckpoint());
  std::map<std::string, std::vector<std::byte>> tensors;
  for (const TensorView& view : file.tensors) {
    tensors[view.name] = {view.bytes.begin(), view.bytes.end()};
  }
  return tensors;
}

inline std::vector<double> lossesOf(const std::filesystem::path& run) {
  std::vector<double> losses;
  for (const BatchRecord& batch : readMetrics(RunFolder::open(run).metrics()).batches) {
    losses.push_back(batch.loss);
  }
  return losses;
}

inline RunRecord recordOf(const std::filesystem::path& run) {
  std::vector<Problem> warnings;
  return readRunRecord(RunFolder::open(run).record(), warnings);
}

/// A tiny run that uses every source of randomness.
inline RunConfig randomRun(const OptimizerKind& optimizer) {
  RunConfig config = tinyRun();
  config.recipe.optimizer.kind = optimizer;
  if (optimizer != OptimizerKind(Sgd{})) config.recipe.optimizer.learningRate = 0.003;
  config.recipe.emaDecay = 0.9;
  config.recipe.labelSmoothing = 0.1;
  config.recipe.optimizer.gradientClip = 1;
  config.architecture.head.dropout = 0.2;
  config.architecture.stages[1].blocks[1].stochasticDepth = 0.3;
  config.architecture.stem.whitened = true;
  config.data.augmentation.horizontalFlip = true;
  config.data.augmentation.alternatingFlip = true;
  config.data.augmentation.cutoutSize = 4;
  return config;
}

}  // namespace lambda
