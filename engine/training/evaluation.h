#pragma once

#include <functional>
#include <optional>

#include "engine/networks/network.h"
#include "engine/training/batch_maker.h"
#include "engine/values/metrics.h"
#include "engine/values/run_config.h"

namespace lambda {

/// Scores images in evaluation mode without augmentation and without gradients; the network's mode
/// is restored. The one function that measures, for training, validation and test images alike.
/// `proceed` is asked before every batch with the number of images done; if it answers false,
/// nothing is returned.
std::optional<Scores> evaluate(NetworkImpl& network,
                               const LabeledImages& images,
                               const BatchMaker& maker,
                               const Recipe& recipe,
                               const std::function<bool(std::int64_t done)>& proceed);

}  // namespace lambda
