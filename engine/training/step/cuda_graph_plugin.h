#pragma once

#include <filesystem>
#include <string>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/work_recorder.h"
#include "engine/values/run_config.h"

namespace lambda {

/// What records steps as CUDA graphs, or what stands in its way.
struct CudaGraphPlugin {
  WorkRecorder* recorder = nullptr;  ///< Null if none can be used.
  std::string obstacle;              ///< One sentence; empty if nothing stands in the way.
};

/// Opens a plugin, which stays open to the end of the process. LibTorch's part for CUDA has to be
/// loaded, as it is once a GPU was selected.
CudaGraphPlugin openCudaGraphPlugin(const std::filesystem::path& file);

/// What records the steps of a training: lambda-graphs-cuda.so where they are wanted and a GPU does
/// them by the CUDA kernels, else neither recorder nor obstacle.
CudaGraphPlugin cudaGraphsFor(const DeviceConfig& config, const TrainingState& state);

}  // namespace lambda
