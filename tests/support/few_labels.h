#pragma once

#include <cstddef>
#include <string>

#include "engine/formats/metrics/predictions_csv.h"
#include "engine/values/images/labeled_images.h"
#include "tests/support/tiny_run.h"

namespace lambda::test {

/// A run of one epoch on `perClass` labelled images of each class.
inline RunConfig fewLabels(int perClass = 5) {
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  config.data.labelledPerClass = perClass;
  return config;
}

/// Predictions in which image i belongs to class 3 i mod 10, with probability 0.97 if i is even,
/// else 0.6.
inline std::string predictionsFor(const LabeledImages& images) {
  std::string text = predictionsHead(images.classNames);
  for (std::size_t i = 0; i < images.count(); ++i) {
    const std::size_t prediction = 3 * i % 10;
    text += std::to_string(i) + ',' + std::to_string(images.labels[i]) + ',' +
            std::to_string(prediction) + ",0.5";
    for (std::size_t c = 0; c < 10; ++c) {
      const char* other = c == (prediction + 1) % 10 ? (i % 2 == 0 ? ",0.03" : ",0.4") : ",0";
      text += c == prediction ? (i % 2 == 0 ? ",0.97" : ",0.6") : other;
    }
    text += '\n';
  }
  return text;
}

}  // namespace lambda::test
