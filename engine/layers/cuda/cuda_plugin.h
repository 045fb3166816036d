#pragma once

#include <filesystem>
#include <string>

#include <c10/core/Device.h>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda {

/// The opened kernels, or what stands in their way.
struct CudaPlugin {
  const CudaKernels* kernels = nullptr;  ///< Null if they can't be used.
  std::string obstacle;                  ///< One sentence; empty if nothing stands in the way.
};

/// A function of a library, or what stands in its way.
struct PluginFunction {
  void* address = nullptr;  ///< Null if it can't be had.
  std::string obstacle;     ///< One sentence; empty if nothing stands in the way.
};

/// Opens a library, which stays open to the end of the process, and looks its one function up.
PluginFunction pluginFunction(const std::filesystem::path& file, const char* symbol);

/// Opens the kernels in a plugin.
CudaPlugin openCudaPlugin(const std::filesystem::path& file);

/// A library beside the program or library that this code is in, or one folder above.
std::filesystem::path pluginFile(const std::string& name);

/// The kernels' plugin, lambda-kernels-cuda.so.
std::filesystem::path cudaPluginFile();

/// The kernels for a GPU; null where they can't be used. The plugin is opened by the first call;
/// the first obstacle is a warning of LibTorch's.
const CudaKernels* cudaKernelsFor(c10::Device device);

/// Why a GPU does without the kernels; empty where it uses them, and for the CPU. Opens the plugin
/// if the device is a GPU.
std::string cudaKernelsObstacle(c10::Device device);

}  // namespace lambda
