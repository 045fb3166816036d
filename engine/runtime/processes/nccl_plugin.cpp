#include "engine/runtime/processes/nccl_plugin.h"

#include "engine/runtime/plugin.h"
#include "engine/runtime/processes/processes.h"

namespace lambda {

namespace {

constexpr const char* kPluginName = "lambda-nccl-cuda.so";

}  // namespace

NcclPlugin openNcclPlugin(const std::filesystem::path& file) {
  const PluginFunction function = pluginFunction(file, kConnectGpuSymbol);
  if (function.address == nullptr) {
    return {nullptr,
            function.obstacle +
                "; app/run --cuda builds it, with an nvcc and the headers of NCCL, which app/setup "
                "finds or fetches"};
  }
  return {reinterpret_cast<ConnectGpu>(function.address), {}};
}

const NcclPlugin& ncclPlugin() {
  static const NcclPlugin plugin = openNcclPlugin(pluginFile(kPluginName));
  return plugin;
}

std::string manyGpusObstacle() {
  return ncclPlugin().obstacle;
}

}  // namespace lambda
