#include "app/command_line/dataset_text.h"

#include "engine/values/text/quantities.h"

namespace lambda {

nlohmann::ordered_json shapeJson(const MapShape& shape) {
  return {shape.channels, shape.height, shape.width};
}

namespace {

/// "1x28x28 images of 10 classes", "sequences of 128 tokens, vocabulary 256"
std::string contentText(const DatasetInfo& dataset) {
  const std::string count = std::to_string(dataset.classes);
  if (dataset.task == Task::tokens) {
    return "sequences of " + formatCounted(dataset.shape.width, "token") + ", vocabulary " + count;
  }
  return shapeText(dataset.shape) + " images of " + count + " " + traitsOf(dataset.task).outputs;
}

}  // namespace

std::string datasetText(const DatasetInfo& dataset) {
  return contentText(dataset) + ", " + formatCount(dataset.trainCount) +
         " for training and validation" +
         (dataset.validationCount > 0
              ? " (" + formatCount(dataset.validationCount) + " of them the validation set)"
              : "") +
         ", " +
         (dataset.testCount > 0 ? formatCount(dataset.testCount) + " for the test" : "no test set");
}

nlohmann::ordered_json datasetInfoJson(const DatasetInfo& dataset) {
  return {{"shape", shapeJson(dataset.shape)},
          {traitsOf(dataset.task).outputs, dataset.classes},
          {traitsOf(dataset.task).outputNames, dataset.classNames},
          {"trainCount", dataset.trainCount},
          {"validationCount", dataset.validationCount},
          {"testCount", dataset.testCount}};
}

}  // namespace lambda
