#include "engine/runtime/device.h"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/version.h>

#include <sched.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Why CUDA can't be used; empty if it can.
std::string findCudaObstacle() {
  static const std::string obstacle = [] {
    if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      return std::string("no NVIDIA driver is installed");
    }
    // The CUDA kernels register while the library loads. LibTorch remembers its first answer about
    // CUDA, so the library is loaded before the first query.
    if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      return std::string("this LibTorch was fetched without CUDA (") + dlerror() + ")";
    }
    if (!at::hasCUDA() || at::detail::getCUDAHooks().deviceCount() == 0) {
      return std::string("the driver reports no usable GPU");
    }
    return std::string();
  }();
  return obstacle;
}

}  // namespace

int availableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string torchVersion() {
  return TORCH_VERSION;
}

ComputeDevice selectDevice(const DeviceConfig& config) {
  ComputeDevice device;
  device.threads = config.threads > 0 ? config.threads : availableCores();
  device.name = "cpu";
  const std::string onCpu =
      "CPU with " + std::to_string(device.threads) + " thread" + (device.threads == 1 ? "" : "s");
  if (config.kind == DeviceKind::cpu) {
    device.reason = onCpu + ", as chosen";
    return device;
  }
  const std::string obstacle = findCudaObstacle();
  if (obstacle.empty()) {
    device.kind = DeviceKind::cuda;
    device.name = "cuda";
    device.reason =
        "NVIDIA GPU, the first of " + std::to_string(at::detail::getCUDAHooks().deviceCount());
    return device;
  }
  if (config.kind == DeviceKind::cuda) {
    throw Error(
        "device.kind",
        "CUDA can't be used: " + obstacle,
        "choose the CPU (--device cpu), or install an NVIDIA driver and run app/setup again");
  }
  device.reason = onCpu + ": " + obstacle;
  return device;
}

void useThreads(const ComputeDevice& device) {
  // The query makes LibTorch initialise this thread with its default, which would otherwise undo
  // the setting later.
  if (at::get_num_threads() != device.threads) at::set_num_threads(device.threads);
}

}  // namespace lambda
