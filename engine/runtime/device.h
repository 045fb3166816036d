#pragma once

#include <string>

#include "engine/values/run_config.h"

namespace lambda {

/// Where a run computes, and why there.
struct ComputeDevice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda, never automatic.
  std::string name;                   ///< "cpu", or the GPU's name.
  std::string reason;                 ///< One sentence for people.
  int threads = 1;                    ///< For tensor work on the CPU.
};

/// Decides between CPU and GPU. Throws Error if CUDA was asked for and is not to be had, saying
/// what is missing. Does not change any setting.
ComputeDevice selectDevice(const DeviceConfig& config);

/// Sets the number of threads for the tensor work of the calling thread; others keep theirs. Call
/// it before a thread's first tensor operation.
void useThreads(const ComputeDevice& device);

/// Cores that this process may use.
int availableCores();

/// Name of the processor, for example "AMD EPYC 9654"; "unknown" where the system does not tell.
std::string processorName();

/// Version of LibTorch.
std::string torchVersion();

}  // namespace lambda
