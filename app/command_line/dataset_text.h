#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "engine/values/config/data_source.h"

namespace lambda {

nlohmann::ordered_json shapeJson(const MapShape& shape);

/// "1x28x28 images of 10 classes, 60,000 for training and validation, 10,000 for the test", or
/// "sequences of 128 tokens, vocabulary 256, ..."
std::string datasetText(const DatasetInfo& dataset);

/// {"shape", "classes", "classNames" (of a regression "numbers", "numberNames",
/// of sequences "tokens", "tokenNames"), "trainCount",
/// "validationCount", "testCount"}
nlohmann::ordered_json datasetInfoJson(const DatasetInfo& dataset);

}  // namespace lambda
