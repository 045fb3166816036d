#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/runs/evaluations.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluate_run.h"
#include "engine/training/input/run_data.h"

namespace lambda {

/// A network with the images on which it is evaluated. Lives on one thread.
struct EvaluatedRun {
  /// Throws Error if the checkpoint or the data can't be read, or the split has no images.
  explicit EvaluatedRun(const EvaluationRequest& request);

  const CheckpointHeader& header() const { return loaded.header; }

  std::int64_t count() const { return static_cast<std::int64_t>(images.count()); }

  /// scoringOf() its recipe. Exported weights do not say whether they are averaged.
  std::vector<std::string> scoring() const;

  /// Stores the scores in the run that the checkpoint belongs to.
  KeptEvaluation keep(const Scores& scores) const;

  Split split;
  std::filesystem::path checkpoint;
  ResolvedConfig resolved;
  TensorMemoryReuse reuse;
  LoadedNetwork loaded;
  RunData data;
  const LabeledImages& images;  ///< Of the split, in its order.
};

}  // namespace lambda
