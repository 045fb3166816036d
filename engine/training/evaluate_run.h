#pragma once

#include <filesystem>
#include <optional>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/inspection.h"
#include "engine/values/metrics.h"
#include "engine/values/run_config.h"

namespace lambda {

struct EvaluationRequest {
  /// A run folder, or a checkpoint file in one. A folder stands for its best checkpoint, or its
  /// last one where none is best.
  std::filesystem::path run;
  bool test = true;                                ///< The test set; false = the validation images.
  std::optional<std::string> data = std::nullopt;  ///< Where the data lies now; none = as recorded.
  std::optional<DeviceConfig> device = std::nullopt;
};

struct Evaluation {
  Scores scores;
  std::filesystem::path checkpoint;
  int epoch = 0;
  std::int64_t step = 0;
  std::int64_t images = 0;
  int testEvaluations = 0;  ///< How often the run's test set has been scored, this time included.
  std::string saveProblem;  ///< Why the run's folder could not keep it; empty where it did.
};

/// Scores a checkpoint as the trainer would, and keeps that as an evaluation beside the run
/// (evaluations.jsonl); the run's own result stays as it is. Throws Error if the checkpoint or the
/// data can't be read, and where the loss is not finite; none if the control asked to stop. Waits
/// between two batches while the control says pause; requests for an inspection are answered as
/// failed.
std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer);

/// Looks into a layer of a checkpoint; `run` as in EvaluationRequest. Throws Error.
InspectionSnapshot inspectRun(const std::filesystem::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data = std::nullopt);

}  // namespace lambda
