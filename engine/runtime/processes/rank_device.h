#pragma once

#include "engine/runtime/cuda_facts.h"
#include "engine/runtime/device.h"
#include "engine/runtime/processes/processes.h"

namespace lambda {

/// The number of the GPU of a rank on a machine with these facts: on each host the first rank has
/// the GPU `first`, the others those after it. Where a process sees only one GPU and others are
/// hidden from it, the launcher has given it that one. Throws Error where a rank finds none left.
int gpuOfRank(int first, const Launch& launch, const CudaFacts& facts);

/// Tells all ranks what each computes on, and connects their GPUs. Throws Error, naming ranks,
/// where some compute on a CPU and others on a GPU, where two have the same GPU, and as
/// connectGpu().
void connectDevices(Processes& processes, const ComputeDevice& device);

}  // namespace lambda
