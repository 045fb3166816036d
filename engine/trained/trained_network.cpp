#include "engine/trained/trained_network.h"

#include <utility>

#include "engine/data/sources/data_sources.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// The configuration of a checkpoint's run on the device that is asked for.
RunConfig configHere(const fs::path& checkpoint, const std::optional<DeviceConfig>& device) {
  RunConfig config = readCheckpointHeader(checkpoint).config;
  if (device) config.device = *device;
  return config;
}

std::string fullPath(const std::string& place) {
  return fs::absolute(place).lexically_normal().string();
}

/// The record of the run that has the checkpoint; none for weights outside of a run, and where it
/// can't be read, which does not keep a checkpoint from being scored.
std::optional<RunRecord> recordOf(const fs::path& checkpoint) {
  const fs::path file =
      fs::absolute(checkpoint).lexically_normal().parent_path().parent_path() / "run.json";
  std::error_code missing;
  if (!fs::exists(file, missing)) return std::nullopt;
  try {
    std::vector<Problem> warnings;
    return readRunRecord(file, warnings);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The digests of the data that a network was trained on: those of its run's record, for weights
/// outside of a run those that they carry.
DataDigest knownDigest(const std::optional<RunRecord>& record, const CheckpointHeader& header) {
  return record ? record->dataSha256 : header.dataSha256;
}

bool isTrainingDataOf(const fs::path& checkpoint, const DataConfig& data) {
  const DataDigest known = knownDigest(recordOf(checkpoint), readCheckpointHeader(checkpoint));
  return !known.train.empty() && known.train == loadDataset(withFittingSplit(data)).sha256;
}

}  // namespace

TrainedNetwork::TrainedNetwork(const fs::path& run, const TrainedOptions& options)
    : checkpoint_(checkpointAt(run)),
      options_(options),
      resolved_(configHere(checkpoint_, options.device)) {
  if (options.reusesMemory) reuse_.emplace();
  loaded_ = loadNetwork(checkpoint_, torchDevice(resolved_.device()));
}

bool TrainedNetwork::takesSequences() const {
  return resolved_.config().architecture.task == Task::tokens;
}

void TrainedNetwork::usePlaceOfOptions() {
  if (!options_.data || usesPlace_) return;
  resolved_ =
      ResolvedConfig(withData(resolved_.config(), *options_.data, checkpoint_), resolved_.device());
  usesPlace_ = true;
}

EvaluationData& TrainedNetwork::data() {
  if (takesSequences()) {
    throw Error(checkpoint_.string(), "its network takes sequences of tokens, not images");
  }
  if (data_) return *data_;
  usePlaceOfOptions();
  data_ = std::make_unique<EvaluationData>(
      resolved_,
      header().input,
      options_.datasets ? options_.datasets : std::make_shared<DatasetCache>());
  return *data_;
}

const std::shared_ptr<const SequenceData>& TrainedNetwork::sequences() {
  if (sequences_) return sequences_;
  usePlaceOfOptions();
  sequences_ = sequencesFor(resolved_.config());
  return sequences_;
}

const Examples& TrainedNetwork::examples(Split split) {
  std::unique_ptr<Examples>& found = examples_[split];
  if (found) return *found;
  if (takesSequences()) {
    found = std::make_unique<SequenceExamples>(
        sequences(), split, resolved_.config().recipe.precision, torchDevice(resolved_.device()));
  } else {
    found = std::make_unique<ImageExamples>(data().images(split), data().maker());
  }
  return *found;
}

std::string TrainedNetwork::digestOfPart(Split split) {
  return takesSequences() ? sequences()->digest() : data().digestOfPart(split);
}

std::string TrainedNetwork::otherData(Split split) {
  usePlaceOfOptions();
  const RunConfig& config = resolved_.config();
  const std::string place = textOf(config.data.source);
  const std::optional<RunRecord> record = recordOf(checkpoint_);
  const DataDigest known = knownDigest(record, header());
  const DataSource& own = record ? record->config.data.source : header().config.data.source;
  const bool isAtItsPlace =
      own.index() == config.data.source.index() && fullPath(place) == fullPath(textOf(own));
  if (split == Split::test && !known.test.empty()) {
    if (digestOfPart(split) != known.test) return place;
    if (isAtItsPlace) return {};
  }
  if (known.train.empty() && (isAtItsPlace || !header().input.isKnown())) return {};
  try {
    const bool isSame = known.train.empty()
                            ? data().measuredNormalization() == header().input.normalization
                            : digestOfPart(Split::train) == known.train;
    return isSame ? "" : place;
  } catch (const Error&) {
    // A data set without images to train on is not that of a run.
    return place;
  }
}

bool TrainedNetwork::isDigestKnown(Split split) const {
  const DataDigest known = knownDigest(recordOf(checkpoint_), header());
  return !known.train.empty() || (split == Split::test && !known.test.empty());
}

KeptEvaluation TrainedNetwork::keep(Split split, const Scores& scores, const std::string& other) {
  return keepEvaluation(checkpoint_,
                        {.epoch = header().progress.epoch,
                         .step = header().progress.step,
                         .split = split,
                         .images = examples(split).count(),
                         .scores = scores,
                         .data = other,
                         .dataSha256 = digestOfPart(split)});
}

RunConfig withData(RunConfig config, const std::string& place, const fs::path& checkpoint) {
  config.data.source = recognizeDataSource(place, config.data.source);
  if (traitsOf(config.data.source).isSequences) return config;
  setImageSize(config.data.source, config.architecture.input.height);
  DataSource chosen = config.data.source;
  chooseOptions(chosen);
  // Data of the run that has moved keeps the run's choice: only its digest tells it from other
  // data.
  if (chosen != config.data.source && !isTrainingDataOf(checkpoint, config.data)) {
    config.data.source = std::move(chosen);
  }
  return config;
}

}  // namespace lambda
