#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/training/evaluate_run.h"

namespace lambda {

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
