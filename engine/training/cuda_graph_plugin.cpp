#include "engine/training/cuda_graph_plugin.h"

#include <dlfcn.h>

#include "engine/layers/cuda_plugin.h"

namespace lambda {

namespace {

constexpr const char* kPluginName = "lambda-graphs-cuda.so";

std::string lastLoaderError() {
  const char* error = dlerror();
  return error != nullptr ? error : "no reason is given";
}

}  // namespace

CudaGraphPlugin openCudaGraphPlugin(const std::filesystem::path& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {nullptr, "the plugin for CUDA graphs can't be opened (" + lastLoaderError() + ")"};
  }
  void* symbol = dlsym(handle, kWorkRecorderSymbol);
  if (symbol == nullptr) {
    return {nullptr, file.string() + " is no plugin for CUDA graphs (" + lastLoaderError() + ")"};
  }
  return {reinterpret_cast<GetWorkRecorder>(symbol)(), {}};
}

CudaGraphPlugin cudaGraphsFor(const DeviceConfig& config, const TrainingState& state) {
  if (!config.cudaGraphs || !state.device().is_cuda() || !state.kernelObstacle.empty()) return {};
  static const CudaGraphPlugin plugin = openCudaGraphPlugin(pluginFile(kPluginName));
  return plugin;
}

}  // namespace lambda
