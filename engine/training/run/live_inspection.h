#pragma once

#include <filesystem>

#include "engine/networks/inspection/inspect_network.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// Inspects the network that is being trained, between two batches, without changing it. The
/// weights are the live ones, not the averaged ones. Throws Error as requestedImage(), and for an
/// unknown layer or pixel.
InspectionSnapshot inspectLive(TrainingState& state,
                               RunData& data,
                               const InspectionRequest& request);

/// Saves a ProbeSnapshot as FOLDER/epoch-NNNN.safetensors, which the epoch slider shows later:
/// every layer that can be inspected, with the first validation image at the middle pixel. Does
/// nothing for a network without such layers. Throws Error as inspectLive(), or if the file can't
/// be written.
void saveProbe(TrainingState& state, RunData& data, const std::filesystem::path& folder, int epoch);

}  // namespace lambda
