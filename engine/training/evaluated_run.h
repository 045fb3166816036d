#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/runs/evaluations.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluate_run.h"
#include "engine/training/input/evaluation_data.h"

namespace lambda {

/// A network with the images on which it is evaluated. Lives on one thread.
struct EvaluatedRun {
  /// Throws Error if the checkpoint or the data can't be read, the split has no images, or the data
  /// has changed and the request is to stop then.
  explicit EvaluatedRun(const EvaluationRequest& request);

  const CheckpointHeader& header() const { return loaded.header; }

  std::int64_t count() const { return static_cast<std::int64_t>(images.count()); }

  /// scoringOf() its recipe. Exported weights do not say whether they are averaged.
  std::vector<std::string> scoring() const;

  /// Stores the scores in the run that the checkpoint belongs to, and returns them.
  Evaluation keep(const Scores& scores);

  Split split;
  std::filesystem::path checkpoint;
  ResolvedConfig resolved;
  TensorMemoryReuse reuse;
  LoadedNetwork loaded;
  EvaluationData data;
  const LabeledImages& images;  ///< Of the split, in its order.
  std::string otherData;        ///< otherDataOf() them.
};

}  // namespace lambda
