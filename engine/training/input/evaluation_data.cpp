#include "engine/training/input/evaluation_data.h"

#include <utility>

#include "engine/data/sources/data_sources.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

NetworkInput inputOf(NetworkInput known, const DataConfig& data, DatasetCache& datasets) {
  if (known.isKnown()) return known;
  const std::shared_ptr<const Dataset> measured = datasets.training(withFittingSplit(data));
  return {measured->normalization, measured->train.classNames};
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

EvaluationData::EvaluationData(const ResolvedConfig& resolved,
                               NetworkInput input,
                               std::shared_ptr<DatasetCache> datasets)
    : config_(resolved.config()),
      datasets_(std::move(datasets)),
      input_(inputOf(std::move(input), config_.data, *datasets_)),
      maker_(config_, input_.normalization, torchDevice(resolved.device())) {
  const auto classes = static_cast<std::size_t>(config_.architecture.classes);
  if (input_.classNames.size() == classes) return;
  throw Error(textOf(config_.data.source),
              "it has " + std::to_string(input_.classNames.size()) + " classes, the network " +
                  std::to_string(classes),
              "Give data with the classes of the network.");
}

const LabeledImages& EvaluationData::images(Split split) {
  switch (split) {
    case Split::train:
      return fitted(training().train, split);
    case Split::validation:
      return fitted(training().validation, split);
    case Split::test:
      break;
  }
  return fitted(test(), split);
}

std::string EvaluationData::digestOfPart(Split split) {
  if (split != Split::test) return training().sha256;
  if (testDigest_.empty()) testDigest_ = digestOf(test());
  return testDigest_;
}

const Dataset& EvaluationData::training() {
  if (!training_) training_ = datasets_->training(withFittingSplit(config_.data));
  return *training_;
}

const LabeledImages& EvaluationData::test() {
  if (!test_) test_ = datasets_->test(config_.data);
  return *test_;
}

const LabeledImages& EvaluationData::fitted(const LabeledImages& images, Split split) {
  const MapShape shape{images.channels, images.height, images.width};
  const MapShape& wanted = config_.architecture.input;
  if (images.count() == 0) return images;
  if (shape != wanted) {
    throw Error(textOf(config_.data.source),
                "its images are " + shapeText(shape) + ", the network takes " + shapeText(wanted),
                "Give data of that shape.");
  }
  const LabeledImages* found = &images;
  if (images.classNames != input_.classNames) {
    LabeledImages& copy = fitted_[split];
    if (copy.classNames.empty()) {
      copy = images;
      matchClasses(copy, input_.classNames, textOf(config_.data.source));
    }
    found = &copy;
  }
  maker_.keep(*found);
  return *found;
}

RunConfig withData(RunConfig config, const std::string& place, const fs::path& checkpoint) {
  config.data.source = recognizeDataSource(place, config.data.source);
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

std::string otherDataOf(const fs::path& checkpoint,
                        const CheckpointHeader& header,
                        const RunConfig& config,
                        EvaluationData& data,
                        Split split) {
  const std::string place = textOf(config.data.source);
  const std::optional<RunRecord> record = recordOf(checkpoint);
  const DataDigest known = knownDigest(record, header);
  const DataSource& own = record ? record->config.data.source : header.config.data.source;
  const bool isAtItsPlace =
      own.index() == config.data.source.index() && fullPath(place) == fullPath(textOf(own));
  if (split == Split::test && !known.test.empty()) {
    if (data.digestOfPart(split) != known.test) return place;
    if (isAtItsPlace) return {};
  }
  if (known.train.empty() && (isAtItsPlace || !header.input.isKnown())) return {};
  try {
    const bool isSame = known.train.empty()
                            ? data.measuredNormalization() == header.input.normalization
                            : data.digestOfPart(Split::train) == known.train;
    return isSame ? "" : place;
  } catch (const Error&) {
    // A data set without images to train on is not that of a run.
    return place;
  }
}

bool isDigestKnown(const fs::path& checkpoint, const CheckpointHeader& header, Split split) {
  const DataDigest known = knownDigest(recordOf(checkpoint), header);
  return !known.train.empty() || (split == Split::test && !known.test.empty());
}

}  // namespace lambda
