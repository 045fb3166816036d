#include "engine/training/device_update.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include <c10/core/DeviceGuard.h>

#include "engine/layers/cuda_queue.h"
#include "engine/training/sent_bytes.h"

namespace lambda {

namespace {

CudaUpdatedWeights describe(const UpdateRates& rates, const UpdatedWeights& tensor) {
  CudaUpdatedWeights described;
  described.size = tensor.size;
  described.gradient = tensor.gradient;
  described.weights = tensor.weights;
  described.first = tensor.first;
  described.second = tensor.second;
  described.average = tensor.average;
  described.weightDecay = static_cast<float>(tensor.weightDecay);
  described.firstCorrection = static_cast<float>(1 / (1 - std::pow(rates.beta1, tensor.steps)));
  described.secondCorrection =
      static_cast<float>(1 / std::sqrt(1 - std::pow(rates.beta2, tensor.steps)));
  return described;
}

std::vector<CudaUpdateBlock> blocksOf(const std::vector<UpdatedWeights>& tensors) {
  std::vector<CudaUpdateBlock> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::int32_t stretch = 0; stretch * kUpdatedAtOnce < tensors[i].size; ++stretch) {
      blocks.push_back({static_cast<std::int32_t>(i), stretch});
    }
  }
  return blocks;
}

/// What the kernels read beside weights and gradients, packed for one copy to the device.
class Package {
 public:
  /// Returns where the values will lie.
  template <class Value>
  std::size_t add(const Value* values, std::size_t count) {
    const std::size_t offset =
        (bytes_.size() + alignof(Value) - 1) / alignof(Value) * alignof(Value);
    bytes_.resize(offset + count * sizeof(Value));
    std::memcpy(bytes_.data() + offset, values, count * sizeof(Value));
    return offset;
  }

  at::Tensor sentTo(const at::Device& device) const {
    return sentBytes(bytes_.data(), bytes_.size(), device);
  }

 private:
  std::vector<std::byte> bytes_;
};

template <class Value>
const Value* inPackage(const at::Tensor& package, std::size_t offset) {
  return reinterpret_cast<const Value*>(package.const_data_ptr<std::uint8_t>() + offset);
}

}  // namespace

at::Tensor updateOnDevice(const CudaKernels& kernels,
                          const UpdateRates& rates,
                          const std::vector<UpdatedWeights>& tensors,
                          double gradientClip,
                          const at::Tensor& loss) {
  const at::Device device = loss.device();
  const c10::DeviceGuard guard(device);
  std::vector<CudaUpdatedWeights> described;
  described.reserve(tensors.size());
  for (const UpdatedWeights& tensor : tensors) described.push_back(describe(rates, tensor));
  const std::vector<CudaUpdateBlock> blocks = blocksOf(tensors);
  const CudaUpdateStep step{static_cast<float>(rates.learningRate),
                            static_cast<float>(rates.averageShare)};
  Package package;
  const std::size_t tensorsAt = package.add(described.data(), described.size());
  const std::size_t blocksAt = package.add(blocks.data(), blocks.size());
  const std::size_t stepAt = package.add(&step, 1);
  const at::Tensor sent = package.sentTo(device);

  const auto count = static_cast<std::int64_t>(blocks.size());
  const at::TensorOptions doubles = at::TensorOptions(device).dtype(at::kDouble);
  const at::Tensor squares = at::empty({count}, doubles);
  const at::Tensor gradientNorm = at::empty({}, doubles);
  CudaWeightUpdate update;
  update.rule = rates.rule;
  update.momentum = static_cast<float>(rates.momentum);
  update.firstShare = static_cast<float>(1 - rates.beta1);
  update.secondKept = static_cast<float>(rates.beta2);
  update.secondShare = static_cast<float>(1 - rates.beta2);
  update.epsilon = static_cast<float>(rates.epsilon);
  update.gradientClip = static_cast<float>(gradientClip);
  update.tensors = inPackage<CudaUpdatedWeights>(sent, tensorsAt);
  update.blocks = inPackage<CudaUpdateBlock>(sent, blocksAt);
  update.blockCount = count;
  update.step = inPackage<CudaUpdateStep>(sent, stepAt);
  update.loss = loss.const_data_ptr<float>();
  update.squares = squares.mutable_data_ptr<double>();
  update.gradientNorm = gradientNorm.mutable_data_ptr<double>();
  requireSuccess("the update of the weights", kernels.updateWeights(update, queueOf(device)));
  return gradientNorm;
}

}  // namespace lambda
