#include <cstdlib>

#include <torch/csrc/cuda/nccl.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "engine/runtime/processes/nccl_plugin.h"

namespace lambda {

namespace {

/// As torch::cuda::nccl::version() has it, without the patch, which changes no struct.
constexpr std::uint64_t kHeaderVersion =
    (std::uint64_t{NCCL_MAJOR} << 32) | (std::uint64_t{NCCL_MINOR} << 16);

/// The objects of LibTorch contain structs of NCCL, whose sizes differ between versions.
void requireSameVersion() {
  const std::uint64_t torchVersion = torch::cuda::nccl::version();
  TORCH_CHECK(torchVersion >> 16 == kHeaderVersion >> 16,
              "lambda-nccl-cuda.so was built for NCCL ",
              NCCL_MAJOR,
              ".",
              NCCL_MINOR,
              ", and this LibTorch for NCCL ",
              torchVersion >> 32,
              ".",
              (torchVersion >> 16) & 0xffff);
}

void chooseSettings(const std::string& interface) {
  // Who waits for an operation then sees that it failed. Otherwise threads of LibTorch watch the
  // group, and end the program without a sentence. The heartbeat of Processes notices lost ranks.
  setenv("TORCH_NCCL_BLOCKING_WAIT", "1", /*overwrite=*/1);
  // NVLink's switches add in an order that changes. Whoever sets the variable has chosen speed.
  setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0);
  if (!interface.empty()) setenv("NCCL_SOCKET_IFNAME", ("=" + interface).c_str(), /*overwrite=*/0);
}

}  // namespace

}  // namespace lambda

/// The exported function that kConnectGpuSymbol names.
extern "C" __attribute__((visibility("default"))) void lambdaConnectGpu1(
    const lambda::GpuRank& rank, c10::intrusive_ptr<c10d::Backend>& group) {
  lambda::requireSameVersion();
  lambda::chooseSettings(rank.interface);
  auto nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(rank.store, rank.rank, rank.size);
  // At once, so that what can't be connected is said before the training starts.
  nccl->eagerConnectSingleDevice(rank.gpu);
  group = std::move(nccl);
}
