#pragma once

#include <string>
#include <vector>

namespace lambda {

/// A part of a training that a GPU computes with CUDA kernels of this program, or falls back from.
struct CudaSupport {
  const char* part;      ///< For example "lambda core in float32".
  const char* limits;    ///< Where the part falls back on every GPU; empty = nowhere.
  const char* fallback;  ///< What computes it then.
  std::string obstacle;  ///< Why this GPU falls back always; empty if it has the kernels.

  bool isServed() const { return obstacle.empty(); }
};

/// All parts, for a GPU with these obstacles to the kernels and to recorded steps; empty = none.
std::vector<CudaSupport> cudaSupport(const std::string& kernelObstacle,
                                     const std::string& graphObstacle);

/// All parts for a GPU of this machine that LibTorch can use. Opens the plugins.
std::vector<CudaSupport> cudaSupportOf(int gpu);

}  // namespace lambda
