#include "engine/training/input/run_data.h"

#include <algorithm>
#include <utility>

#include "engine/data/split.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

constexpr int kTrainSample = 2500;

std::string shapeText(const MapShape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

std::shared_ptr<const Dataset> checked(std::shared_ptr<const Dataset> data,
                                       const RunConfig& config) {
  const LabeledImages& train = data->train;
  const MapShape shape{train.channels, train.height, train.width};
  if (shape != config.architecture.input) {
    throw Error("architecture.input",
                "the data's images are " + shapeText(shape) + ", the network takes " +
                    shapeText(config.architecture.input),
                "set architecture.input to the shape of the data");
  }
  if (static_cast<int>(train.classNames.size()) != config.architecture.classes) {
    throw Error("architecture.classes",
                "the data has " + std::to_string(train.classNames.size()) + " classes",
                "set architecture.classes to that number");
  }
  if (static_cast<std::size_t>(config.recipe.batchSize) > train.count()) {
    throw Error(
        "recipe.batchSize",
        "a batch is larger than the training set of " + std::to_string(train.count()) + " images",
        "choose a smaller one with --set recipe.batchSize=N");
  }
  return data;
}

LabeledImages sampleOf(const LabeledImages& train) {
  const int count = std::min(kTrainSample, static_cast<int>(train.count()) - 1);
  return selectImages(train, stratifiedSplit(train.labels, count, /*seed=*/0).validation);
}

}  // namespace

RunData::RunData(const ResolvedConfig& resolved, std::shared_ptr<DatasetCache> datasets)
    : RunData(resolved, datasets->training(resolved.config().data), datasets) {}

RunData::RunData(const ResolvedConfig& resolved,
                 std::shared_ptr<const Dataset> data,
                 std::shared_ptr<DatasetCache> datasets)
    : RunData(
          resolved.config(), torchDevice(resolved.device()), std::move(data), std::move(datasets)) {
}

RunData::RunData(const RunConfig& config,
                 const at::Device& device,
                 std::shared_ptr<const Dataset> data,
                 std::shared_ptr<DatasetCache> datasets)
    : config_(config.data),
      datasets_(std::move(datasets)),
      data_(checked(std::move(data), config)),
      trainSample_(sampleOf(data_->train)),
      order_(config.seed,
             static_cast<std::uint32_t>(data_->train.count()),
             static_cast<std::uint32_t>(config.recipe.batchSize)),
      maker_(Augmenter(config.architecture.input,
                       config.data.augmentation,
                       data_->normalization,
                       config.seed),
             config.recipe.channelsLast,
             config.recipe.precision,
             device,
             device.is_cuda() ? cudaKernelsFor(device) : nullptr) {
  maker_.keep(data_->train);
  maker_.keep(data_->validation);
  maker_.keep(trainSample_);
}

TensorBatch RunData::batch(int epoch, int batch) {
  const BatchPosition position{static_cast<std::uint64_t>(epoch),
                               static_cast<std::uint32_t>(batch)};
  return maker_.augmented(data_->train, order_.batch(position), epoch);
}

const LabeledImages& RunData::test() {
  if (!test_) {
    test_ = datasets_->test(config_);
    maker_.keep(*test_);
  }
  return *test_;
}

const LabeledImages& RunData::images(Split split) {
  switch (split) {
    case Split::train:
      return data_->train;
    case Split::validation:
      return data_->validation;
    case Split::test:
      return test();
  }
  return data_->validation;
}

}  // namespace lambda
