#include "engine/training/step/cuda_graph_plugin.h"

#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/plugin.h"

namespace lambda {

namespace {

constexpr const char* kPluginName = "lambda-graphs-cuda.so";

}  // namespace

CudaGraphPlugin openCudaGraphPlugin(const std::filesystem::path& file) {
  const PluginFunction function = pluginFunction(file, kWorkRecorderSymbol);
  if (function.address == nullptr) return {nullptr, function.obstacle + kHowToBuildCuda};
  return {reinterpret_cast<GetWorkRecorder>(function.address)(), {}};
}

const CudaGraphPlugin& cudaGraphPlugin() {
  static const CudaGraphPlugin plugin = openCudaGraphPlugin(pluginFile(kPluginName));
  return plugin;
}

CudaGraphPlugin cudaGraphsFor(const DeviceConfig& config, const TrainingState& state) {
  if (!config.cudaGraphs || !state.device().is_cuda() || !state.kernelObstacle.empty()) return {};
  return cudaGraphPlugin();
}

}  // namespace lambda
