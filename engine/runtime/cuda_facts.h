#pragma once

#include <optional>
#include <string>

#include "engine/runtime/cuda_driver.h"

namespace lambda {

/// The CUDA part of this LibTorch.
struct TorchCuda {
  int version = 0;      ///< The CUDA that it was built for, 13000 for 13.0; 0 = not opened.
  std::string failure;  ///< The loader's reason where it can't be opened; else empty.
  int gpus = 0;         ///< How many GPUs it can use.
};

/// All that decides whether and on which GPU a run computes.
struct CudaFacts {
  CudaDriver driver;
  TorchCuda torch;                         ///< As it is by default where there is no driver.
  std::optional<std::string> visibleGpus;  ///< The variable CUDA_VISIBLE_DEVICES, where it is set.
};

/// Why CUDA can't be used, and what to do about it; both are ends of sentences.
struct CudaObstacle {
  std::string reason;
  std::string remedy;
};

/// The obstacle to CUDA; none if there is a GPU that can be used.
std::optional<CudaObstacle> cudaObstacle(const CudaFacts& facts);

/// Whether a driver is of an earlier major version of CUDA than a LibTorch. A later CUDA of the
/// same major version runs on it.
bool isTooOldFor(const CudaDriver& driver, const TorchCuda& torch);

/// "13.0" for 13000.
std::string cudaVersionText(int version);

/// The first driver that serves a version of CUDA, "580" for 13000; empty where it is not known.
std::string driverNeededFor(int cuda);

}  // namespace lambda
