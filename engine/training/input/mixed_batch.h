#pragma once

#include "engine/data/augmentation/mixing.h"
#include "engine/training/input/tensor_batch.h"

namespace lambda {

/// Mixes the images of a batch, which it changes, and gives the batch its second labels. `batch`
/// has as many images as the draw has partners, and is not mixed yet. On a GPU nothing waits for
/// it.
TensorBatch mixed(TensorBatch batch, const MixingDraw& draw);

}  // namespace lambda
