#include "app/command_line/dataset_text.h"

#include "engine/values/text/quantities.h"

namespace lambda {

nlohmann::ordered_json shapeJson(const MapShape& shape) {
  return {shape.channels, shape.height, shape.width};
}

std::string datasetText(const DatasetInfo& dataset) {
  return shapeText(dataset.shape) + " images of " + std::to_string(dataset.classes) + " " +
         traitsOf(dataset.task).outputs + ", " + formatCount(dataset.trainCount) +
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
