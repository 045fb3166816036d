#include "engine/training/update/backends/device_update.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <c10/core/DeviceGuard.h>

#include "engine/layers/cuda/cuda_queue.h"
#include "engine/training/update/backends/sent_bytes.h"

namespace lambda {

namespace {

CudaUpdatedWeights describe(const UpdateRates& rates, const UpdatedWeights& tensor) {
  CudaUpdatedWeights described;
  described.size = tensor.size;
  described.gradient = tensor.gradient;
  described.gradientElement = tensor.gradientElement;
  described.weights = tensor.weights;
  described.rounded = tensor.rounded;
  described.firstMoment = tensor.firstMoment;
  described.secondMoment = tensor.secondMoment;
  described.average = tensor.average;
  described.rateFactor = static_cast<float>(tensor.rateFactor);
  described.weightDecay = static_cast<float>(tensor.weightDecay);
  described.firstCorrection = static_cast<float>(1 / (1 - std::pow(rates.beta1, tensor.steps)));
  described.secondCorrection =
      static_cast<float>(1 / std::sqrt(1 - std::pow(rates.beta2, tensor.steps)));
  return described;
}

std::vector<CudaUpdateBlock> blocksOf(const std::vector<UpdatedWeights>& tensors) {
  std::vector<CudaUpdateBlock> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::int32_t stretch = 0; stretch * kValuesPerBlock < tensors[i].size; ++stretch) {
      blocks.push_back({static_cast<std::int32_t>(i), stretch});
    }
  }
  return blocks;
}

}  // namespace

DeviceUpdate::DeviceUpdate(const CudaKernels& kernels,
                           const std::vector<UpdatedWeights>& tensors,
                           double gradientClip,
                           const at::Device& device)
    : kernels_(kernels), gradientClip_(gradientClip) {
  for (const UpdatedWeights& tensor : tensors) sizes_.push_back(tensor.size);
  const std::vector<CudaUpdateBlock> blocks = blocksOf(tensors);
  blocks_ = sentBytes(blocks.data(), blocks.size() * sizeof(CudaUpdateBlock), device);
  const std::size_t bytes = tensors.size() * sizeof(CudaUpdatedWeights) + sizeof(CudaUpdateStep);
  package_ =
      at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(device).dtype(at::kByte));
  const at::TensorOptions doubles = at::TensorOptions(device).dtype(at::kDouble);
  squares_ = at::empty({static_cast<std::int64_t>(blocks.size())}, doubles);
  gradientNorm_ = at::empty({}, doubles);
}

bool DeviceUpdate::matches(const std::vector<UpdatedWeights>& tensors) const {
  return std::ranges::equal(sizes_, tensors, {}, {}, &UpdatedWeights::size);
}

void DeviceUpdate::send(const UpdateRates& rates, const std::vector<UpdatedWeights>& tensors) {
  TORCH_CHECK(matches(tensors), "update of the weights: it was prepared for other tensors");
  std::vector<std::byte> bytes(static_cast<std::size_t>(package_.numel()));
  std::byte* at = bytes.data();
  for (const UpdatedWeights& tensor : tensors) {
    const CudaUpdatedWeights described = describe(rates, tensor);
    std::memcpy(at, &described, sizeof described);
    at += sizeof described;
  }
  const CudaUpdateStep step{static_cast<float>(rates.learningRate),
                            static_cast<float>(rates.averageShare)};
  std::memcpy(at, &step, sizeof step);
  sendBytes(bytes.data(), bytes.size(), package_);
}

at::Tensor DeviceUpdate::queue(const UpdateRates& rates, const at::Tensor& loss) const {
  const at::Device device = package_.device();
  const c10::DeviceGuard guard(device);
  const auto* package = package_.const_data_ptr<std::uint8_t>();
  CudaWeightUpdate update;
  update.rule = rates.rule;
  update.momentum = static_cast<float>(rates.momentum);
  update.oneMinusBeta1 = static_cast<float>(1 - rates.beta1);
  update.beta2 = static_cast<float>(rates.beta2);
  update.oneMinusBeta2 = static_cast<float>(1 - rates.beta2);
  update.epsilon = static_cast<float>(rates.epsilon);
  update.gradientClip = static_cast<float>(gradientClip_);
  update.tensors = reinterpret_cast<const CudaUpdatedWeights*>(package);
  update.blocks = static_cast<const CudaUpdateBlock*>(blocks_.const_data_ptr());
  update.blockCount = squares_.numel();
  update.step =
      reinterpret_cast<const CudaUpdateStep*>(package + sizes_.size() * sizeof(CudaUpdatedWeights));
  update.loss = loss.const_data_ptr<float>();
  update.squares = squares_.mutable_data_ptr<double>();
  update.gradientNorm = gradientNorm_.mutable_data_ptr<double>();
  requireSuccess("the update of the weights", kernels_.updateWeights(update, queueOf(device)));
  return gradientNorm_;
}

}  // namespace lambda
