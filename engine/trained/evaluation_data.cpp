#include "engine/trained/evaluation_data.h"

#include <utility>

#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

NetworkInput inputOf(NetworkInput known, const DataConfig& data, DatasetCache& datasets) {
  if (known.isKnown()) return known;
  const std::shared_ptr<const Dataset> measured = datasets.training(withFittingSplit(data));
  return {measured->normalization, measured->train.classNames};
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

}  // namespace lambda
