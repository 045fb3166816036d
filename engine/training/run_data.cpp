#include "engine/training/run_data.h"

#include <algorithm>

#include "engine/data/split.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr int kTrainSample = 2500;

Dataset loadChecked(const RunConfig& config) {
  Dataset data = loadDataset(config.data);
  const MapShape shape{data.train.channels, data.train.height, data.train.width};
  if (shape != config.architecture.input) {
    throw Error("architecture.input",
                "the data's images are of another shape than the network's",
                "choose an architecture for 3x32x32 images");
  }
  if (static_cast<int>(data.train.classNames.size()) != config.architecture.classes) {
    throw Error("architecture.classes",
                "the data has " + std::to_string(data.train.classNames.size()) + " classes",
                "set architecture.classes to that number");
  }
  if (static_cast<std::size_t>(config.recipe.batchSize) > data.train.count()) {
    throw Error("recipe.batchSize",
                "a batch is larger than the training set of " + std::to_string(data.train.count()) +
                    " images",
                "choose a smaller one with --set recipe.batchSize=N");
  }
  return data;
}

LabeledImages sampleOf(const LabeledImages& train) {
  const int count = std::min(kTrainSample, static_cast<int>(train.count()) - 1);
  return selectImages(train, stratifiedSplit(train.labels, count, /*seed=*/0).validation);
}

}  // namespace

RunData::RunData(const RunConfig& config, const at::Device& device)
    : config_(config.data),
      data_(loadChecked(config)),
      trainSample_(sampleOf(data_.train)),
      order_(config.seed,
             static_cast<std::uint32_t>(data_.train.count()),
             static_cast<std::uint32_t>(config.recipe.batchSize)),
      maker_(Augmenter(config.architecture.input,
                       config.data.augmentation,
                       data_.normalization,
                       config.seed),
             config.recipe.channelsLast,
             device) {}

TensorBatch RunData::batch(int epoch, int batch) {
  const BatchPosition position{static_cast<std::uint64_t>(epoch),
                               static_cast<std::uint32_t>(batch)};
  return maker_.augmented(data_.train, order_.batch(position), epoch);
}

const LabeledImages& RunData::test() {
  if (!test_) test_ = loadTest(config_);
  return *test_;
}

const LabeledImages& RunData::images(Split split) {
  switch (split) {
    case Split::train:
      return data_.train;
    case Split::validation:
      return data_.validation;
    case Split::test:
      return test();
  }
  return data_.validation;
}

}  // namespace lambda
