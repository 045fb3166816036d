#pragma once

#include <filesystem>

#include "engine/inspection/inspect_network.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/values/inspection.h"

namespace lambda {

/// The image of a request, for a network and for a person.
struct RequestedImage {
  at::Tensor tensor;  ///< [1, channels, height, width], normalised.
  Image image;
  int label = -1;
  std::vector<std::string> classNames;
};

/// The image of a run's data, or the picture, that a request asks for; `input` is the network's.
/// Throws Error for an image that the split lacks or a picture of another size.
RequestedImage requestedImage(RunData& data,
                              const MapShape& input,
                              const InspectionRequest& request);

/// Looks into a network with the image that a request asks for. `context` is completed with the
/// image, its label and the class names. Throws Error as requestedImage(), and for an unknown layer
/// or pixel.
InspectionSnapshot inspectImage(Network& network,
                                RunData& data,
                                const InspectionRequest& request,
                                InspectionContext context);

/// Looks into the network that is being trained, between two batches; nothing of it changes. The
/// weights are the live ones, not the averaged ones. Throws Error as inspectImage().
InspectionSnapshot inspectLive(TrainingState& state,
                               RunData& data,
                               const InspectionRequest& request);

/// Stores what the epoch slider plays through, for every lambda layer with the first validation
/// image at the middle pixel, as FOLDER/epoch-NNNN.safetensors (ProbeSnapshot). Nothing for a
/// network without lambda layers. Throws Error.
void saveProbe(TrainingState& state, RunData& data, const std::filesystem::path& folder, int epoch);

}  // namespace lambda
