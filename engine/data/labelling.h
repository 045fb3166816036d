#pragma once

#include <cstddef>
#include <string>

#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The images that a training uses when it may use few labels. Numbers are of images.
struct ChosenLabels {
  LabeledImages images;  ///< In the order of the training part.
  std::size_t labelled = 0;
  std::size_t pseudoLabelled = 0;  ///< With the class that a teacher predicted.
  std::size_t leftOut = 0;

  /// "40 images labelled, 812 pseudo-labelled, 148 left out".
  std::string summary() const;
};

/// Whether a training uses only some of the labels.
inline bool hasFewLabels(const DataConfig& config) {
  return config.labelledPerClass > 0;
}

/// Chooses the images of the training part `train` by `config.labelledPerClass` and
/// `config.pseudoLabels` (LambdaNetworks, appendix E: a teacher labels images for a student). The
/// labels of other images have no influence, except that they are none of the drawn ones. Throws
/// Error as drawLabelled() and readPredictionsCsv(), for a file with another digest than
/// `config.pseudoLabelsSha256`, and for predictions whose labels differ from those of the drawn
/// images: they are of other data or of another split.
ChosenLabels imagesWithLabels(const LabeledImages& train, const DataConfig& config);

}  // namespace lambda
