#pragma once

#include <string>
#include <vector>

#include "engine/runtime/cuda_facts.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The device that a run computes on, and why it was chosen.
struct ComputeDevice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda, never automatic.
  std::string name;                   ///< "cpu", or the GPU's name.
  std::string reason;                 ///< Why it was chosen, one sentence for the user.
  int threads = 1;                    ///< Threads for tensor work on the CPU.
  int index = 0;                      ///< The number of the GPU; 0 for the CPU.
  /// Names of all GPUs by number; empty where none was looked for.
  std::vector<std::string> gpus = {};
  std::string uuid = {};  ///< Of the GPU, as in Gpu; empty for the CPU.
};

/// Chooses the CPU or a GPU. Throws Error, saying what is missing, if CUDA was requested and is not
/// available, if there are GPUs but not the chosen one, and if the kernels were built for another
/// CPU. Does not change any setting.
ComputeDevice selectDevice(const DeviceConfig& config);

/// The same on a machine with these facts.
ComputeDevice selectDevice(const DeviceConfig& config, const CudaFacts& facts);

/// The facts of this machine, asked for once; only the CUDA of LibTorch is opened, and only where
/// there is a driver.
const CudaFacts& cudaFacts();

/// A GPU as --device names it: "cuda:1".
std::string gpuName(int index);

/// Sets the number of threads for the tensor work of the calling thread; other threads keep theirs.
/// Call it before a thread's first tensor operation.
void useThreads(const ComputeDevice& device);

/// The number of cores that this process may use.
int availableCores();

/// The numbers of these cores, as a text that is the same for processes which share them.
std::string availableCoresText();

/// Name of the processor, for example "AMD EPYC 9654"; "unknown" if the system does not report it.
std::string processorName();

/// Version of LibTorch.
std::string torchVersion();

}  // namespace lambda
