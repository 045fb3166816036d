#include "engine/training/training_rehearsal.h"

#include <string>
#include <utility>

#include "engine/formats/cifar10/cifar10_files.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/training/whiten_stem.h"
#include "engine/values/schedule.h"

namespace lambda {

namespace {

constexpr int kCifarTrainCount = 50'000;

LabeledImages randomImages(int count) {
  LabeledImages images;
  images.classNames.assign(kCifar10Classes.begin(), kCifar10Classes.end());
  images.pixels.resize(static_cast<std::size_t>(count) * 3 * 32 * 32);
  KeyedRandom random{0};
  for (std::size_t i = 0; i < images.pixels.size(); i += 8) {
    const std::uint64_t bits = random.bits();
    for (int byte = 0; byte < 8; ++byte) {
      images.pixels[i + static_cast<std::size_t>(byte)] =
          static_cast<std::uint8_t>(bits >> (8 * byte));
    }
  }
  for (int i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint8_t>(i % 10));
  return images;
}

/// What stands in for CIFAR-10.
std::shared_ptr<const Dataset> randomDataset(const DataConfig& config) {
  Dataset data;
  data.train = randomImages(kCifarTrainCount - config.validationCount);
  data.validation = randomImages(config.validationCount);
  data.normalization = measureNormalization(data.train);
  return std::make_shared<const Dataset>(std::move(data));
}

}  // namespace

RehearsalData::RehearsalData(const RunConfig& config, const at::Device& device) {
  auto datasets = std::make_shared<DatasetCache>();
  std::shared_ptr<const Dataset> images;
  try {
    images = datasets->training(config.data);
  } catch (const Error&) {
    if (config.data.source == "shapes10") throw;
    images = randomDataset(config.data);
    areSynthetic = true;
  }
  run = std::make_unique<RunData>(config, device, std::move(images), std::move(datasets));
}

TrainingRehearsal::TrainingRehearsal(const RunConfig& config,
                                     const ComputeDevice& device,
                                     RunData& data)
    : config_(config),
      data_(data),
      state_(config, device),
      steps_(state_,
             config_.recipe,
             cudaGraphsFor(config.device, state_).recorder,
             [](const std::string&) {}) {
  whitenStem(state_, data_);
}

TensorBatch TrainingRehearsal::nextBatch() {
  const auto step = static_cast<int>(state_.progress.step);
  const int perEpoch = data_.batchesPerEpoch();
  return data_.batch(step / perEpoch, step % perEpoch);
}

double TrainingRehearsal::nextLearningRate() const {
  const auto step = static_cast<int>(state_.progress.step);
  const int perEpoch = data_.batchesPerEpoch();
  return learningRateOfStep(config_.recipe, step / perEpoch, step % perEpoch, perEpoch);
}

StepOutcome TrainingRehearsal::train(const TensorBatch& batch, const PhaseObserver& ended) {
  if (!ended) return start(batch).outcome();
  const StepOutcome outcome =
      trainOnBatch(state_, config_.recipe, batch, nextLearningRate(), ended);
  ++state_.progress.step;
  return outcome;
}

StartedStep TrainingRehearsal::start(const TensorBatch& batch) {
  StartedStep started = steps_.start(batch, nextLearningRate());
  ++state_.progress.step;
  return started;
}

}  // namespace lambda
