#include "engine/training/evaluate_run.h"

#include "engine/formats/run_json.h"
#include "engine/runtime/error.h"
#include "engine/training/evaluation.h"
#include "engine/training/live_inspection.h"
#include "engine/training/run_data.h"
#include "engine/training/run_folder.h"
#include "engine/training/training_state.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

fs::path checkpointOf(const fs::path& run) {
  std::error_code error;
  if (fs::is_regular_file(run, error)) return run;
  return RunFolder::open(run).representativeCheckpoint();
}

/// The checkpoint's configuration with what is different here and now.
RunConfig configHere(RunConfig config,
                     const std::optional<std::string>& data,
                     const std::optional<DeviceConfig>& device) {
  if (data) config.data.source = *data;
  if (device) config.device = *device;
  return config;
}

/// Counts a look at the test set in the run's record. Checkpoints outside of a run have none, and a
/// run that is being trained writes its record itself.
int countTestLook(const fs::path& checkpoint, const Scores& scores) {
  const fs::path runPath = fs::absolute(checkpoint).parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(runPath / "run.json", error)) return 1;
  const RunFolder folder = RunFolder::open(runPath);
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  ++record.testLooks;
  if (RunLock::isHeld(folder)) return record.testLooks;
  const RunLock lock(folder);
  record.testAccuracy = scores.accuracy;
  writeRunRecord(folder.record(), record);
  return record.testLooks;
}

}  // namespace

std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer) {
  const fs::path checkpoint = checkpointOf(request.run);
  const CheckpointHeader header = readCheckpointHeader(checkpoint);
  const RunConfig config = configHere(header.config, request.data, request.device);
  const ComputeDevice device = selectDevice(config.device);
  useThreads(device);
  LoadedNetwork loaded = loadNetwork(checkpoint, torchDevice(device));
  RunData data(config, torchDevice(device));
  const LabeledImages& images = data.images(request.test ? Split::test : Split::validation);
  if (images.count() == 0) {
    throw Error(
        checkpoint.string(), "the run held out no validation images", "score the test set instead");
  }
  const auto total = static_cast<std::int64_t>(images.count());
  const std::optional<Scores> scores =
      evaluate(*loaded.network, images, data.maker(), config.recipe, [&](std::int64_t done) {
        observer.evaluated({request.test ? "test" : "validation", done, total});
        return control.next() != RunControl::Turn::stop;
      });
  if (!scores) return std::nullopt;
  return Evaluation{*scores,
                    checkpoint,
                    header.progress.epoch,
                    header.progress.step,
                    total,
                    request.test ? countTestLook(checkpoint, *scores) : 0};
}

InspectionSnapshot inspectRun(const fs::path& run,
                              const InspectionRequest& request,
                              const std::optional<std::string>& data) {
  const fs::path checkpoint = checkpointOf(run);
  LoadedNetwork loaded = loadNetwork(checkpoint, at::kCPU);
  const RunConfig config = configHere(loaded.header.config, data, std::nullopt);
  useThreads(selectDevice({DeviceKind::cpu, config.device.threads}));
  RunData images(config, at::kCPU);
  return inspectImage(loaded.network,
                      images,
                      request,
                      {.step = loaded.header.progress.step,
                       .epoch = loaded.header.progress.epoch,
                       .initialEmbeddings = &loaded.initialEmbeddings});
}

}  // namespace lambda
