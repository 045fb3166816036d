#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/prediction/predictor.h"

namespace lambda {

/// What a network predicts for a picture in a file.
struct PredictedFile {
  std::string file;
  std::vector<float> probabilities = {};  ///< [classes]; empty if the picture can't be read.
  std::string problem = {};               ///< Why it can't be read; empty if it can.
  bool isTurned = false;                  ///< Its EXIF orientation was applied.
  bool isTransparent = false;             ///< Its transparent pixels lie on white.
};

/// Classifies JPEG, PNG and WebP files, in their order. They are decoded on all threads of the
/// predictor's device and classified in batches; memory is taken for all pictures at once, so a
/// caller with many gives them in parts. Throws Error as Predictor::predictImages() does.
std::vector<PredictedFile> predictFiles(Predictor& predictor, std::span<const std::string> files);

}  // namespace lambda
