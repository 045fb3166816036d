#pragma once

#include <filesystem>
#include <string>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/work_recorder.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The recorder of steps as CUDA graphs, or the reason why there is none.
struct CudaGraphPlugin {
  WorkRecorder* recorder = nullptr;  ///< Null if none can be used.
  std::string obstacle;              ///< The reason, one sentence; empty if there is none.
};

/// Opens a plugin, which stays open until the process ends. LibTorch's CUDA library must be loaded;
/// it is once a GPU has been selected.
CudaGraphPlugin openCudaGraphPlugin(const std::filesystem::path& file);

/// lambda-graphs-cuda.so, opened by the first call. LibTorch's CUDA library must be loaded.
const CudaGraphPlugin& cudaGraphPlugin();

/// The recorder for the steps of a training, from lambda-graphs-cuda.so. Neither recorder nor
/// obstacle if the configuration asks for no CUDA graphs, or if the steps do not run on a GPU with
/// the CUDA kernels.
CudaGraphPlugin cudaGraphsFor(const DeviceConfig& config, const TrainingState& state);

}  // namespace lambda
