#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"

namespace lambda {

struct EvaluationRequest {
  /// A run folder, a checkpoint file in one, or a file of exported weights. A folder stands for its
  /// best checkpoint, or for its last one if there is no best.
  std::filesystem::path run;
  Split split = Split::test;
  std::optional<std::string> data = std::nullopt;  ///< Path of the data; none = as recorded.
  std::optional<DeviceConfig> device = std::nullopt;
};

struct Evaluation {
  Scores scores;
  std::filesystem::path checkpoint;
  int epoch = 0;
  std::int64_t step = 0;
  std::int64_t images = 0;
  int testEvaluations = 0;  ///< How often the run's test set has been scored, this time included.
  bool isVerified = true;   ///< False for exported weights, which have no digest.
  std::string saveProblem;  ///< Why it could not be stored in the run's folder; empty if it was.
  std::vector<std::string> scoring;  ///< How it was measured, as scoringOf() its recipe says.
};

/// Scores a checkpoint as the trainer would, and appends the result to the evaluations.jsonl of the
/// run; the run's own result stays as it is. Throws Error if the checkpoint or the data can't be
/// read, if there are no such images, or if the loss is not finite. Returns nothing if the control
/// asked to stop. Waits between two batches while the control is paused; inspection requests are
/// answered as failed.
std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer);

/// Inspects a layer of a checkpoint; `run` as in EvaluationRequest. Throws Error as
/// CheckpointInspector does.
InspectionSnapshot inspectRun(const std::filesystem::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data = std::nullopt);

}  // namespace lambda
