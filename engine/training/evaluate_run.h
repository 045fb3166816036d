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
#include "engine/values/run/run_record.h"

namespace lambda {

struct EvaluationRequest {
  /// A run folder, a checkpoint file in one, or a file of exported weights. A folder stands for its
  /// best checkpoint, or for its last one if there is no best.
  std::filesystem::path run;
  Split split = Split::test;
  std::optional<std::string> data = std::nullopt;  ///< Path of the data; none = as recorded.
  std::optional<DeviceConfig> device = std::nullopt;
  /// What to do if the data at the recorded place is no longer that of the run.
  ChangedData changedData = ChangedData::warn;
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
  /// The place of data other than the run's, as otherDataOf() says; empty: these are the run's.
  std::string otherData;
  std::string dataPlace;  ///< The place of the images.
  bool isDataCompared =
      true;  ///< False: no digest of the run's data is known to compare them with.
  std::optional<MajorityClass> majority;  ///< Of the images.
};

/// Scores a checkpoint as the trainer would, and appends the result to the evaluations.jsonl of the
/// run; the run's own result stays as it is. Other data than the run's is normalised as the run's,
/// its classes are matched by name, and its score is none of the run's test set. Throws Error if
/// the checkpoint or the data can't be read or does not fit, if there are no such images, or if the
/// loss is not finite. Returns nothing if the control asked to stop. Waits between two batches
/// while the control is paused; inspection requests are answered as failed.
std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer);

/// Inspects a layer of a checkpoint; `run` as in EvaluationRequest. Throws Error as
/// CheckpointInspector does.
InspectionSnapshot inspectRun(const std::filesystem::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data = std::nullopt);

}  // namespace lambda
