#include "engine/layers/cuda/cuda_plugin.h"

#include <array>
#include <mutex>
#include <optional>
#include <system_error>

#include <c10/util/Exception.h>

#include "engine/layers/cuda/cuda_kernels_state.h"
#include "engine/runtime/plugin.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

constexpr const char* kPluginName = "lambda-kernels-cuda.so";

constexpr std::size_t kMostDevices = 64;

/// The opened plugin, and for each GPU why it can't use the kernels. Thread-safe.
class PluginState {
 public:
  static PluginState& instance() {
    static PluginState state;
    return state;
  }

  const CudaKernels* kernelsFor(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    const std::string& obstacle = obstacleOf(device);
    if (obstacle.empty()) return plugin_->kernels;
    if (!hasWarned_) {
      hasWarned_ = true;
      TORCH_WARN("Runs on the GPU are slower, because they can't use the CUDA kernels: ", obstacle);
    }
    return nullptr;
  }

  std::string obstacleFor(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    return obstacleOf(device);
  }

 private:
  const std::string& obstacleOf(c10::DeviceIndex device) {
    if (!plugin_) plugin_ = openCudaPlugin(cudaPluginFile());
    if (plugin_->kernels == nullptr) return plugin_->obstacle;
    std::optional<std::string>& obstacle = obstacles_.at(static_cast<std::size_t>(device));
    if (!obstacle) {
      const CudaOutcome outcome = plugin_->kernels->checkDevice(device);
      obstacle = outcome.code == 0 ? "" : outcome.text;
    }
    return *obstacle;
  }

  std::mutex mutex_;
  std::optional<CudaPlugin> plugin_;
  std::array<std::optional<std::string>, kMostDevices> obstacles_;  // Empty if there is none.
  bool hasWarned_ = false;
};

}  // namespace

CudaPlugin openCudaPlugin(const std::filesystem::path& file) {
  const PluginFunction function = pluginFunction(file, kCudaKernelsSymbol);
  if (function.address == nullptr) return {nullptr, function.obstacle + kHowToBuildCuda};
  const CudaKernels* kernels = reinterpret_cast<GetCudaKernels>(function.address)();
  if (kernels->version != kCudaKernelsVersion) {
    return {nullptr,
            file.string() + " is of version " + std::to_string(kernels->version) +
                ", but this program needs version " + std::to_string(kCudaKernelsVersion) +
                "; build both again"};
  }
  return {kernels, {}};
}

std::filesystem::path cudaPluginFile() {
  return pluginFile(kPluginName);
}

const CudaKernels* cudaKernelsFor(c10::Device device) {
  return PluginState::instance().kernelsFor(device.index());
}

std::string cudaKernelsObstacle(c10::Device device) {
  return device.is_cuda() ? PluginState::instance().obstacleFor(device.index()) : std::string();
}

std::string cudaKernelsState(const ComputeDevice& device) {
  if (device.kind != DeviceKind::cuda) {
    std::error_code error;
    return exists(cudaPluginFile(), error) ? "built, for a GPU"
                                           : std::string("not built") + kHowToBuildCuda;
  }
  const std::string obstacle = cudaKernelsObstacle(torchDevice(device));
  return obstacle.empty() ? "in use" : "not used, runs use plain LibTorch operations: " + obstacle;
}

}  // namespace lambda
