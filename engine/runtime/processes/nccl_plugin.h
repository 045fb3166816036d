#pragma once

#include <filesystem>
#include <string>

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "engine/runtime/processes/rank_store.h"

namespace lambda {

/// A rank whose GPU is to be connected to those of the others.
struct GpuRank {
  RankStore store;  ///< For this connection alone.
  int rank = 0;
  int size = 1;
  at::Device gpu = at::kCUDA;
  std::string interface = {};  ///< Of the network, towards rank 0; empty = NCCL chooses.
};

/// Gives the group of the GPUs when all ranks have called it. Throws c10::Error.
using ConnectGpu = void (*)(const GpuRank& rank, c10::intrusive_ptr<c10d::Backend>& group);

/// The name of that function in the plugin. Another meaning of it or of GpuRank needs another
/// number, so that an old plugin is refused.
inline constexpr const char* kConnectGpuSymbol = "lambdaConnectGpu1";

/// NCCL, or the reason why it can't be used.
struct NcclPlugin {
  ConnectGpu connect = nullptr;  ///< Null if it can't be used.
  std::string obstacle;          ///< The reason, one sentence; empty if there is none.
};

/// Opens a plugin, which stays open until the process ends. LibTorch's CUDA library must be loaded;
/// it is once a GPU has been selected.
NcclPlugin openNcclPlugin(const std::filesystem::path& file);

/// lambda-nccl-cuda.so, opened by the first call. LibTorch's CUDA library must be loaded.
const NcclPlugin& ncclPlugin();

}  // namespace lambda
