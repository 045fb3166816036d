#pragma once

#include "engine/values/config/run_config.h"

namespace lambda {

/// The augmentation where nothing else is said: none of sequences.
inline AugmentationConfig usualAugmentation(const DataSource& source) {
  AugmentationConfig usual;
  if (traitsOf(source).isSequences) {
    usual.cropPadding = 0;
    usual.horizontalFlip = false;
  }
  return usual;
}

}  // namespace lambda
