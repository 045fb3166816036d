#include "engine/training/evaluate_run.h"

#include <cmath>

#include "engine/data/sources/data_sources.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/checkpoint_inspector.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/run_data.h"
#include "engine/training/input/wait_for_batch.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The checkpoint's configuration with the requested data path and device.
RunConfig configHere(RunConfig config,
                     const std::optional<std::string>& data,
                     const std::optional<DeviceConfig>& device) {
  if (data) config.data.source = recognizeDataSource(*data, config.data.source);
  if (device) config.device = *device;
  return config;
}

}  // namespace

std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer) {
  const fs::path checkpoint = checkpointAt(request.run);
  // loadNetwork() verifies the digest of the file.
  const CheckpointHeader header = readCheckpointHeader(checkpoint);
  const ResolvedConfig resolved(configHere(header.config, request.data, request.device));
  const TensorMemoryReuse reuse;
  LoadedNetwork loaded = loadNetwork(checkpoint, torchDevice(resolved.device()));
  RunData data(resolved);
  const LabeledImages& images = data.images(request.test ? Split::test : Split::validation);
  if (images.count() == 0) {
    throw Error(
        checkpoint.string(),
        request.test ? "the data set has no test images" : "the run has no validation images",
        request.test ? "score the validation images instead" : "score the test set instead");
  }
  const auto total = static_cast<std::int64_t>(images.count());
  const std::optional<Scores> scores =
      evaluate(*loaded.network, images, data.maker(), [&](std::int64_t done) {
        observer.evaluated({request.test ? "test" : "validation", done, total});
        return waitForBatch(control, observer);
      });
  if (!scores) return std::nullopt;
  if (!std::isfinite(scores->loss)) {
    throw Error(checkpoint.string(),
                "its loss is not finite: the network overflows",
                "evaluate an earlier checkpoint");
  }
  const KeptEvaluation kept =
      keepEvaluation(checkpoint,
                     {.epoch = header.progress.epoch,
                      .step = header.progress.step,
                      .split = request.test ? Split::test : Split::validation,
                      .images = total,
                      .scores = *scores});
  return Evaluation{*scores,
                    checkpoint,
                    header.progress.epoch,
                    header.progress.step,
                    total,
                    kept.testEvaluations,
                    kept.problem};
}

InspectionSnapshot inspectRun(const fs::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data) {
  CheckpointInspector inspector(run, {.data = data});
  return inspector.inspect(request);
}

}  // namespace lambda
