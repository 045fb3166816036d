#pragma once

#include <string>
#include <vector>

#include "engine/training/input/batch_maker.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The images of a data set as a network gets them. Lives on one thread.
class NetworkImages {
 public:
  virtual ~NetworkImages() = default;

  /// The images of a split with the labels of the data. Throws Error where they can't be loaded or
  /// do not fit the network.
  virtual const LabeledImages& images(Split split) = 0;

  virtual const BatchMaker& maker() const = 0;

  virtual const std::vector<std::string>& classNames() const = 0;
};

}  // namespace lambda
