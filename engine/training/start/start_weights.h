#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/values/config/run_config.h"

namespace lambda {

class TrainingData;
class TrainingState;

/// The weights that a new run starts from; nothing if it starts from its seed. Throws Error for a
/// file that can't be read, and for one whose digest is not the configuration's.
std::optional<ForeignWeights> readStartWeights(const StartConfig& config);

/// Puts the weights that fit into the network of a fresh state, see planTransfer(). `classNames`
/// are those of the data. Values of other precisions become float32. Throws Error if nothing
/// fits, and naming a tensor with values that are not finite.
WeightTransfer startFrom(TrainingState& state,
                         const ForeignWeights& weights,
                         const std::vector<std::string>& classNames);

/// Finds the tensors that a run of this configuration would take from the weights at its start,
/// without preparing a training. `classNames` are those of the data. Throws Error for a file that
/// can't be read or has nothing for the network.
WeightTransfer previewStart(const RunConfig& config, const std::vector<std::string>& classNames);

/// Computes the filters of a whitened stem from the training images, normalised but not augmented.
/// Call it before the first step. Leaves networks without a whitened stem as they are.
void whitenStem(TrainingState& state, TrainingData& data);

}  // namespace lambda
