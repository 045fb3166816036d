#include "engine/layers/cuda_plugin.h"

#include <array>
#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <system_error>

#include <c10/util/Exception.h>

namespace lambda {

namespace {

constexpr const char* kPluginName = "lambda-kernels-cuda.so";

constexpr std::size_t kMostDevices = 64;

std::string lastLoaderError() {
  const char* error = dlerror();
  return error != nullptr ? error : "no reason is given";
}

/// What is known of the plugin and of each GPU.
class Knowledge {
 public:
  const CudaKernels* kernelsFor(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    if (!plugin_) plugin_ = openCudaPlugin(cudaPluginFile());
    std::optional<bool>& isUsable = isUsable_.at(static_cast<std::size_t>(device));
    if (!isUsable) {
      const std::string obstacle = obstacleOf(device);
      isUsable = obstacle.empty();
      if (!*isUsable && !hasWarned_) {
        hasWarned_ = true;
        TORCH_WARN("Lambda layers run without their CUDA kernels, more slowly: ", obstacle);
      }
    }
    return *isUsable ? plugin_->kernels : nullptr;
  }

 private:
  std::string obstacleOf(int device) const {
    if (plugin_->kernels == nullptr) return plugin_->obstacle;
    const CudaOutcome outcome = plugin_->kernels->checkDevice(device);
    return outcome.code == 0 ? "" : outcome.text;
  }

  std::mutex mutex_;
  std::optional<CudaPlugin> plugin_;
  std::array<std::optional<bool>, kMostDevices> isUsable_;
  bool hasWarned_ = false;
};

}  // namespace

CudaPlugin openCudaPlugin(const std::filesystem::path& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {nullptr, "the plugin can't be opened (" + lastLoaderError() + ")"};
  }
  void* symbol = dlsym(handle, kCudaKernelsSymbol);
  if (symbol == nullptr) {
    return {nullptr, file.string() + " is no plugin with kernels (" + lastLoaderError() + ")"};
  }
  const CudaKernels* kernels = reinterpret_cast<GetCudaKernels>(symbol)();
  if (kernels->version != kCudaKernelsVersion) {
    return {nullptr,
            file.string() + " is of version " + std::to_string(kernels->version) +
                ", this program of " + std::to_string(kCudaKernelsVersion) + "; build both again"};
  }
  return {kernels, {}};
}

std::filesystem::path cudaPluginFile() {
  Dl_info here{};
  std::error_code error;
  std::filesystem::path folder;
  if (dladdr(reinterpret_cast<const void*>(&cudaPluginFile), &here) != 0) {
    folder = std::filesystem::canonical(here.dli_fname, error).parent_path();
  }
  const std::filesystem::path above = folder.parent_path() / kPluginName;
  std::filesystem::path beside = folder / kPluginName;
  return !exists(beside, error) && exists(above, error) ? above : beside;
}

const CudaKernels* cudaKernelsFor(c10::Device device) {
  static Knowledge knowledge;
  return knowledge.kernelsFor(device.index());
}

}  // namespace lambda
