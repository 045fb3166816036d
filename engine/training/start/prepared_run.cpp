#include "engine/training/start/prepared_run.h"

#include <optional>
#include <utility>

#include "engine/formats/files/sha256.h"
#include "engine/runtime/error.h"
#include "engine/training/processes/follower.h"
#include "engine/training/start/start_weights.h"

namespace lambda {

PreparedRun PreparedRun::fresh(RunConfig config, const Processes* processes) {
  const std::optional<ForeignWeights> weights = readStartWeights(config.start);
  if (weights) config.start.sha256 = weights->sha256;
  DataConfig& labels = config.data;
  if (!labels.pseudoLabels.empty() && labels.pseudoLabelsSha256.empty()) {
    labels.pseudoLabelsSha256 = sha256OfFile(labels.pseudoLabels);
  }
  ResolvedConfig resolved = resolvedFor(std::move(config), processes);
  auto data = trainingDataOf(resolved);
  auto state = std::make_unique<TrainingState>(resolved);
  whitenStem(*state, *data);
  std::string text;
  if (weights) {
    const WeightTransfer taken = startFrom(*state, *weights, data->input().outputNames());
    text =
        "; " + std::filesystem::path(weights->place).filename().string() + ": " + taken.summary();
  }
  return {std::move(resolved), std::move(data), std::move(state), std::move(text)};
}

PreparedRun PreparedRun::forked(const std::filesystem::path& checkpoint, RunConfig config) {
  ResolvedConfig resolved(std::move(config));
  auto data = trainingDataOf(resolved);
  auto state = std::make_unique<TrainingState>(resolved);
  std::string text;
  for (const std::string& part : state->loadForFork(checkpoint, resolved.config())) {
    text += "; not loaded: " + part;
  }
  if (const std::optional<NonFinite> found = state->firstNonFinite()) {
    throw Error(checkpoint.string(),
                "a value is not finite: in " + found->layer + ", " + found->what,
                "fork an earlier checkpoint");
  }
  TrainingProgress& at = state->progress;
  if (at.batch > 0) {
    at.batch = 0;
    at.epochSeconds = 0;
    at.epochDataSeconds = 0;
  }
  if (at.epoch >= resolved.config().recipe.epochs) {
    throw Error("recipe.epochs",
                "the checkpoint has done " + std::to_string(at.epoch) + " epochs already",
                "choose a larger number of epochs");
  }
  return {std::move(resolved), std::move(data), std::move(state), std::move(text)};
}

}  // namespace lambda
