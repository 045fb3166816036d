#pragma once

#include <string>
#include <vector>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// Finds the tensors that a run of this configuration would take from the weights at its start,
/// without preparing a training. `classNames` are those of the data. Throws Error for a file that
/// can't be read or has nothing for the network.
WeightTransfer previewStart(const RunConfig& config, const std::vector<std::string>& classNames);

}  // namespace lambda
