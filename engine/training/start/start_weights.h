#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/training/checkpoint/training_state.h"

namespace lambda {

/// The weights that a new run starts from; nothing if it starts from its seed. Throws Error for a
/// file that can't be read, and for one whose digest is not the configuration's.
std::optional<ForeignWeights> readStartWeights(const StartConfig& config);

/// Puts the weights that fit into the network of a fresh state, see planTransfer(). `classNames`
/// are those of the data. Values of other precisions become float32. Throws Error if nothing
/// fits, and naming a tensor with values that are not finite.
WeightTransfer startFrom(TrainingState& state,
                         const ForeignWeights& weights,
                         const std::vector<std::string>& classNames);

}  // namespace lambda
