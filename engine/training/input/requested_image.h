#pragma once

#include <string>
#include <vector>

#include "engine/training/input/batch_maker.h"
#include "engine/values/images/image.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The image of a request, as a network's input and for display.
struct RequestedImage {
  at::Tensor tensor;  ///< [1, channels, height, width], normalised.
  Image image;
  int label = -1;                   ///< True class; -1 = not known.
  std::vector<float> numbers = {};  ///< True numbers; empty = not known.
  std::vector<std::string> classNames;
  std::vector<NumberScale> scales;  ///< Of the numbers.
};

/// The image of the data, or the user's picture, that a request asks for. `input` is the shape of
/// the network's input. Throws Error for an image that the split lacks or a picture of another
/// size.
RequestedImage requestedImage(NetworkImages& data,
                              const MapShape& input,
                              const InspectionRequest& request);

}  // namespace lambda
