#pragma once

#include <filesystem>
#include <string>

#include <c10/core/Device.h>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda {

/// The opened kernels, or why they can't be used.
struct CudaPlugin {
  const CudaKernels* kernels = nullptr;  ///< Null if they can't be used.
  std::string obstacle;                  ///< One sentence; empty if nothing stands in the way.
};

/// Opens a plugin and gets its kernels.
CudaPlugin openCudaPlugin(const std::filesystem::path& file);

/// What follows the reason why a plugin for CUDA is missing.
inline constexpr const char* kHowToBuildCuda =
    "; app/run --cuda builds it, with an nvcc that app/setup finds or fetches";

/// The path of the plugin lambda-kernels-cuda.so.
std::filesystem::path cudaPluginFile();

/// The kernels for a GPU; null if they can't be used. The first call opens the plugin. The first
/// obstacle is reported once as a warning of LibTorch.
const CudaKernels* cudaKernelsFor(c10::Device device);

/// Why a GPU can't use the kernels; empty if it can, and for the CPU. Opens the plugin if the
/// device is a GPU.
std::string cudaKernelsObstacle(c10::Device device);

}  // namespace lambda
