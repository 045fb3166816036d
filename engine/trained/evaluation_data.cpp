#include "engine/trained/evaluation_data.h"

#include <utility>

#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

NetworkInput inputOf(NetworkInput known, const DataConfig& data, DatasetCache& datasets) {
  if (known.isKnown()) return known;
  return lambda::inputOf(*datasets.training(withFittingSplit(data)));
}

}  // namespace

EvaluationData::EvaluationData(const ResolvedConfig& resolved,
                               NetworkInput input,
                               std::shared_ptr<DatasetCache> datasets)
    : config_(resolved.config()),
      datasets_(std::move(datasets)),
      input_(inputOf(std::move(input), config_.data, *datasets_)),
      maker_(config_, input_, torchDevice(resolved.device())) {
  const Architecture& network = config_.architecture;
  if (input_.outputs() == static_cast<std::size_t>(network.outputs)) return;
  const std::string outputs = traitsOf(network.task).outputs;
  throw Error(textOf(config_.data.source),
              "it has " + std::to_string(input_.outputs()) + " " + outputs + ", the network " +
                  std::to_string(network.outputs),
              "Give data with the " + outputs + " of the network.");
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
  if (!fits(images, input_)) {
    LabeledImages& copy = fitted_[split];
    if (copy.count() == 0) {
      copy = images;
      matchLabels(copy, input_, textOf(config_.data.source));
    }
    found = &copy;
  }
  maker_.keep(*found);
  return *found;
}

}  // namespace lambda
