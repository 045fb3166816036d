#include "engine/training/loop/dry_run.h"

#include <string>
#include <utility>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/training/input/run_data.h"
#include "engine/training/start/start_weights.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/values/config/schedule.h"

namespace lambda {

namespace {

LabeledImages randomImages(const DatasetInfo& like, std::int64_t count) {
  LabeledImages images;
  images.channels = like.shape.channels;
  images.height = like.shape.height;
  images.width = like.shape.width;
  for (int i = 0; i < like.classes; ++i) images.classNames.push_back(std::to_string(i));
  images.pixels.resize(static_cast<std::size_t>(count * like.shape.elements()));
  KeyedRandom random{0};
  for (std::size_t i = 0; i < images.pixels.size(); i += 8) {
    const std::uint64_t bits = random.bits();
    for (std::size_t byte = 0; byte < std::min<std::size_t>(8, images.pixels.size() - i); ++byte) {
      images.pixels[i + byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    images.labels.push_back(static_cast<std::uint16_t>(i % like.classes));
  }
  return images;
}

/// Random images that replace a data set that can't be read.
std::shared_ptr<const Dataset> randomDataset(const DatasetInfo& like, const DataConfig& config) {
  Dataset data;
  data.train = randomImages(like, like.trainCount - config.validationCount);
  data.validation = randomImages(like, config.validationCount);
  data.normalization = measureNormalization(data.train);
  return std::make_shared<const Dataset>(std::move(data));
}

}  // namespace

std::unique_ptr<TrainingData> dryRunData(const ResolvedConfig& resolved) {
  const RunConfig& config = resolved.config();
  if (traitsOf(config.data.source).isSequences) return trainingDataOf(resolved);
  auto datasets = std::make_shared<DatasetCache>();
  std::shared_ptr<const Dataset> images;
  try {
    images = datasets->training(config.data);
  } catch (const Error&) {
    const std::optional<DatasetInfo> like = announcedInfo(config.data.source);
    if (!like || !pathOf(config.data.source)) throw;
    return std::make_unique<RunData>(
        resolved, randomDataset(*like, config.data), datasets, ImageOrigin::synthetic);
  }
  return std::make_unique<RunData>(resolved, std::move(images), std::move(datasets));
}

DryRun::DryRun(const ResolvedConfig& resolved, TrainingData& data)
    : data_(data),
      state_(resolved),
      steps_(state_,
             cudaGraphsFor(resolved.config().device, state_).recorder,
             [](const std::string&) {}) {
  whitenStem(state_, data_);
}

TensorBatch DryRun::nextBatch() {
  const auto step = static_cast<int>(state_.progress.step);
  const int perEpoch = data_.batchesPerEpoch();
  return data_.batch(step / perEpoch, step % perEpoch);
}

double DryRun::nextLearningRate() const {
  const auto step = static_cast<int>(state_.progress.step);
  const int perEpoch = data_.batchesPerEpoch();
  return learningRateOfStep(state_.recipe(), step / perEpoch, step % perEpoch, perEpoch);
}

StepOutcome DryRun::train(const TensorBatch& batch, const PhaseObserver& ended) {
  if (!ended) return start(batch).outcome();
  const StepOutcome outcome = trainOnBatch(state_, batch, nextLearningRate(), ended);
  ++state_.progress.step;
  return outcome;
}

StartedStep DryRun::start(const TensorBatch& batch) {
  StartedStep started = steps_.start(batch, nextLearningRate());
  ++state_.progress.step;
  return started;
}

}  // namespace lambda
