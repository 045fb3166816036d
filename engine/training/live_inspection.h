#pragma once

#include <filesystem>

#include "engine/inspection/inspect_network.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The image of a request, as a network's input and for display.
struct RequestedImage {
  at::Tensor tensor;  ///< [1, channels, height, width], normalised.
  Image image;
  int label = -1;  ///< True class; -1 = not known.
  std::vector<std::string> classNames;
};

/// The image of the data, or the user's picture, that a request asks for. `input` is the shape of
/// the network's input. Throws Error for an image that the split lacks or a picture of another
/// size.
RequestedImage requestedImage(NetworkImages& data,
                              const MapShape& input,
                              const InspectionRequest& request);

/// Inspects a network with the image that a request asks for. The image, its label and the class
/// names are added to `context`. Throws Error as requestedImage(), and for an unknown layer or
/// pixel.
InspectionSnapshot inspectImage(Network& network,
                                RunData& data,
                                const InspectionRequest& request,
                                InspectionContext context);

/// Inspects the network that is being trained, between two batches, without changing it. The
/// weights are the live ones, not the averaged ones. Throws Error as inspectImage().
InspectionSnapshot inspectLive(TrainingState& state,
                               RunData& data,
                               const InspectionRequest& request);

/// Saves a ProbeSnapshot as FOLDER/epoch-NNNN.safetensors, which the epoch slider shows later:
/// every lambda layer with the first validation image at the middle pixel. Does nothing for a
/// network without lambda layers. Throws Error as inspectLive(), or if the file can't be written.
void saveProbe(TrainingState& state, RunData& data, const std::filesystem::path& folder, int epoch);

}  // namespace lambda
