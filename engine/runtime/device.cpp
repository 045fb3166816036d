#include "engine/runtime/device.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <optional>
#include <utility>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/version.h>

#include <sched.h>

#include "engine/kernels/instruction_set.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

TorchCuda openTorchCuda(const CudaDriver& driver) {
  TorchCuda torch;
  // The CUDA kernels register while the library loads. LibTorch remembers its first answer about
  // CUDA, so the library is loaded before the first query.
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    torch.failure = reason != nullptr ? reason : "no reason is given";
    return torch;
  }
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  if (!cuda.hasCUDART()) return torch;
  torch.version = static_cast<int>(cuda.versionCUDART());
  if (!isTooOldFor(driver, torch) && at::hasCUDA()) torch.gpus = cuda.deviceCount();
  return torch;
}

CudaFacts readCudaFacts() {
  CudaFacts facts;
  facts.driver = readCudaDriver();
  if (facts.driver.isOpen) facts.torch = openTorchCuda(facts.driver);
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) facts.visibleGpus = visible;
  return facts;
}

std::string onCpu(int threads) {
  return "CPU with " + std::to_string(threads) + " thread" + (threads == 1 ? "" : "s");
}

/// "cuda:0 (NVIDIA H200) and cuda:1 (NVIDIA H200)"
std::string listOf(const std::vector<std::string>& gpus) {
  std::string list;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (i > 0) list += i + 1 < gpus.size() ? ", " : " and ";
    list += gpuName(static_cast<int>(i)) + " (" + gpus[i] + ")";
  }
  return list;
}

ComputeDevice onGpu(ComputeDevice device, int index, const CudaFacts& facts) {
  for (const Gpu& gpu : facts.driver.gpus) device.gpus.push_back(gpu.name);
  device.gpus.resize(
      std::min(device.gpus.size(), static_cast<std::size_t>(std::max(0, facts.torch.gpus))));
  const auto count = static_cast<int>(device.gpus.size());
  if (index < 0 || index >= count) {
    throw Error("device.index",
                "there is no GPU " + gpuName(index) + "; this machine has " +
                    (count == 1 ? "only " : "") + listOf(device.gpus),
                "choose one of these, for example --device " + gpuName(0));
  }
  device.kind = DeviceKind::cuda;
  device.index = index;
  device.name = device.gpus[static_cast<std::size_t>(index)];
  device.uuid = facts.driver.gpus[static_cast<std::size_t>(index)].uuid;
  device.reason = device.name + (count == 1 ? ", the only GPU"
                                            : " as " + gpuName(index) + ", one of " +
                                                  std::to_string(count) + " GPUs");
  return device;
}

void requireInstructionSet() {
  const std::string lacking = lackingInstructionSet();
  if (lacking.empty()) return;
  throw Error("this CPU",
              "this program was built for another one: it needs " + lacking,
              "Build it here with app/run, or use a package.");
}

std::optional<cpu_set_t> coresOfThisProcess() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return std::nullopt;
  return cores;
}

}  // namespace

int availableCores() {
  const std::optional<cpu_set_t> cores = coresOfThisProcess();
  return cores ? std::max(1, CPU_COUNT(&*cores)) : 1;
}

std::string availableCoresText() {
  std::string text;
  const std::optional<cpu_set_t> cores = coresOfThisProcess();
  for (int core = 0; cores && core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &*cores)) text += std::to_string(core) + " ";
  }
  return text;
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

std::string gpuName(int index) {
  return "cuda:" + std::to_string(index);
}

const CudaFacts& cudaFacts() {
  static const CudaFacts facts = readCudaFacts();
  return facts;
}

ComputeDevice selectDevice(const DeviceConfig& config) {
  return selectDevice(config, config.kind == DeviceKind::cpu ? CudaFacts() : cudaFacts());
}

ComputeDevice selectDevice(const DeviceConfig& config, const CudaFacts& facts) {
  requireInstructionSet();
  ComputeDevice device;
  device.threads = config.threads > 0 ? config.threads : availableCores();
  device.name = "cpu";
  if (config.kind == DeviceKind::cpu) {
    device.reason = onCpu(device.threads) + ", as chosen";
    return device;
  }
  const std::optional<CudaObstacle> obstacle = cudaObstacle(facts);
  if (!obstacle) return onGpu(std::move(device), config.index, facts);
  if (config.kind == DeviceKind::cuda) {
    throw Error("device.kind",
                "CUDA can't be used: " + obstacle->reason,
                "choose the CPU (--device cpu), or " + obstacle->remedy);
  }
  device.reason = onCpu(device.threads) + ": " + obstacle->reason;
  return device;
}

void useThreads(const ComputeDevice& device) {
  // The query makes LibTorch initialise this thread with its default, which would otherwise undo
  // the setting later.
  if (at::get_num_threads() != device.threads) at::set_num_threads(device.threads);
}

}  // namespace lambda
