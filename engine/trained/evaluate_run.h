#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
  Task task = Task::classification;
  std::int64_t images = 0;  ///< Or sequences.
  int testEvaluations = 0;  ///< How often the run's test set has been scored, this time included.
  bool isVerified = true;   ///< False for exported weights, which have no digest.
  std::string saveProblem;  ///< Why it could not be stored in the run's folder; empty if it was.
  std::vector<std::string> scoring;  ///< How it was measured, as scoringOf() its recipe says.
  /// The place of data other than the run's, as TrainedNetwork::otherData() says; empty: these are
  /// the run's.
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

/// What was written of a split's predictions.
struct WrittenPredictions {
  Evaluation evaluation;  ///< The scores of all predictions, stored as evaluateRun() does.
  std::uint64_t bytes = 0;
};

/// Writes what a network predicts for every image of a split, in the split's order:
///   index          of the image within the split, from 0; the training split has all images that
///                  are not kept for validation, with and without labels
///   label          the true class
///   prediction     the most probable class
///   loss           cross-entropy in nats
///   probabilities  of all classes, the softmax of the logits
/// A file that ends in .npy is one NumPy array of records with these fields. Any other is CSV, with
/// the name of each class above its column of probabilities. Returns nothing if the control asked
/// to stop. Throws Error as evaluateRun() does, and for a file that can't be written.
std::optional<WrittenPredictions> writePredictions(const EvaluationRequest& request,
                                                   const std::filesystem::path& file,
                                                   RunControl& control,
                                                   Observer& observer);

/// Gives the CSV of writePredictions() to `print`, part by part, and stores the scores likewise.
std::optional<Evaluation> printPredictions(const EvaluationRequest& request,
                                           const std::function<void(std::string_view)>& print,
                                           RunControl& control,
                                           Observer& observer);

}  // namespace lambda
