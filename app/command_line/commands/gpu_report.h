#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/command_line/text_table.h"
#include "engine/runtime/cuda_facts.h"
#include "engine/training/step/cuda_support.h"

namespace lambda {

/// The part of `lambda info` about the GPUs.
struct GpuReport {
  CudaFacts facts;
  /// The parts of a training that each GPU computes with CUDA kernels, by its number; empty where
  /// CUDA can't be used.
  std::vector<std::vector<CudaSupport>> support;
};

/// The report on this machine. Opens the CUDA part of LibTorch and the plugins, where there is a
/// GPU.
GpuReport gpuReport();

/// Adds the driver, a line for each GPU, and lines for the kernels that GPUs have in common.
void addGpuFacts(FactList& facts, const GpuReport& report);

/// The object "cuda" of the report as JSON.
nlohmann::ordered_json gpuJson(const GpuReport& report);

}  // namespace lambda
