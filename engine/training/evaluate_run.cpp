#include "engine/training/evaluate_run.h"

#include <cmath>

#include "engine/data/dataset.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/checkpoint_inspector.h"
#include "engine/training/evaluated_run.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/wait_for_batch.h"
#include "engine/values/config/scoring.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The checkpoint's configuration with the requested data path and device.
RunConfig configHere(const fs::path& checkpoint, const EvaluationRequest& request) {
  RunConfig config = readCheckpointHeader(checkpoint).config;
  if (request.data) config = withData(std::move(config), *request.data, checkpoint);
  if (request.device) config.device = *request.device;
  return config;
}

const LabeledImages& imagesOf(EvaluationData& data,
                              Split split,
                              const std::filesystem::path& checkpoint) {
  const LabeledImages& images = data.images(split);
  if (images.count() > 0) return images;
  throw Error(
      checkpoint.string(),
      "there are no " + std::string(nameOf(split)) + " images",
      split == Split::test ? "score the validation images instead" : "score the test set instead");
}

}  // namespace

EvaluatedRun::EvaluatedRun(const EvaluationRequest& request)
    : split(request.split),
      checkpoint(checkpointAt(request.run)),
      resolved(configHere(checkpoint, request)),
      loaded(loadNetwork(checkpoint, torchDevice(resolved.device()))),
      data(resolved, loaded.header.input),
      images(imagesOf(data, split, checkpoint)),
      otherData(otherDataOf(checkpoint, loaded.header, resolved.config(), data, split)) {
  if (otherData.empty() || request.data || request.changedData == ChangedData::warn) return;
  throw Error(otherData,
              "the " + std::string(nameOf(split)) +
                  " images, their labels or their classes have changed since the run was trained",
              "Put the former data there; to score the present data: --changed-data warn.");
}

std::vector<std::string> EvaluatedRun::scoring() const {
  Recipe recipe = resolved.config().recipe;
  if (!loaded.areAveraged) recipe.emaDecay = 0;
  return scoringOf(recipe);
}

Evaluation EvaluatedRun::keep(const Scores& scores) {
  const KeptEvaluation kept = keepEvaluation(checkpoint,
                                             {.epoch = header().progress.epoch,
                                              .step = header().progress.step,
                                              .split = split,
                                              .images = count(),
                                              .scores = scores,
                                              .data = otherData,
                                              .dataSha256 = data.digestOfPart(split)});
  return {.scores = scores,
          .checkpoint = checkpoint,
          .epoch = header().progress.epoch,
          .step = header().progress.step,
          .images = count(),
          .testEvaluations = kept.testEvaluations,
          .isVerified = loaded.isVerified,
          .saveProblem = kept.problem,
          .scoring = scoring(),
          .otherData = otherData,
          .dataPlace = textOf(resolved.config().data.source),
          .isDataCompared = isDigestKnown(checkpoint, loaded.header, split),
          .majority = majorityOf(images)};
}

std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer) {
  EvaluatedRun run(request);
  const std::int64_t total = run.count();
  const std::optional<Scores> scores =
      evaluate(*run.loaded.network, run.images, run.data.maker(), [&](std::int64_t done) {
        observer.evaluated({std::string(nameOf(run.split)), done, total});
        return waitForBatch(control, observer);
      });
  if (!scores) return std::nullopt;
  if (!std::isfinite(scores->loss)) {
    throw Error(run.checkpoint.string(),
                "its loss is not finite: the network overflows",
                "evaluate an earlier checkpoint");
  }
  return run.keep(*scores);
}

InspectionSnapshot inspectRun(const fs::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data) {
  CheckpointInspector inspector(run, {.data = data});
  return inspector.inspect(request);
}

}  // namespace lambda
