#include "engine/training/step/cuda_support.h"

#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/training/step/cuda_graph_plugin.h"

namespace lambda {

std::vector<CudaSupport> cudaSupport(const std::string& kernelObstacle,
                                     const std::string& graphObstacle) {
  constexpr const char* kPlain = "plain LibTorch operations";
  const std::string recording = kernelObstacle.empty() ? graphObstacle : kernelObstacle;
  return {{"lambda core in float32", "a query depth k above 64", kPlain, kernelObstacle},
          {"lambda core in bfloat16", "a query depth k above 64", kPlain, kernelObstacle},
          {"batches of images", "images of more than 4 channels", "the CPU", kernelObstacle},
          {"update of the weights", "the filters of Muon", kPlain, kernelObstacle},
          {"recorded steps", "", "every step queued anew", recording}};
}

std::vector<CudaSupport> cudaSupportOf(int gpu) {
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(gpu));
  return cudaSupport(cudaKernelsObstacle(device), cudaGraphPlugin().obstacle);
}

}  // namespace lambda
