#include "engine/training/input/batch_maker.h"

#include <utility>

#include "engine/layers/cuda/cuda_plugin.h"

namespace lambda {

BatchMaker::BatchMaker(Augmenter augmenter,
                       bool channelsLast,
                       Precision precision,
                       const at::Device& device,
                       const CudaKernels* kernels,
                       TestViews views,
                       std::vector<NumberScale> numbers)
    : augmenter_(std::move(augmenter)),
      channelsLast_(channelsLast),
      precision_(precision),
      device_(device),
      kernels_(kernels),
      views_(views),
      numbers_(std::move(numbers)) {}

BatchMaker::BatchMaker(const RunConfig& config, const NetworkInput& input, const at::Device& device)
    : BatchMaker(Augmenter(config.architecture.input,
                           config.data.augmentation,
                           input.normalization,
                           config.seed),
                 config.recipe.channelsLast,
                 config.recipe.precision,
                 device,
                 device.is_cuda() ? cudaKernelsFor(device) : nullptr,
                 testViewsOf(config.recipe),
                 input.numbers) {}

void BatchMaker::keep(const LabeledImages& images) {
  // The kernels shift, flip and cut out, but know neither RandAugment nor random erasing: batches
  // with these are made by the Augmenter on the host.
  const AugmentationConfig& config = augmenter_.config();
  if (config.randAugmentOperations > 0 || config.erasingProbability > 0) return;
  if (kernels_ == nullptr || images.count() == 0 || !DeviceImages::canHold(images)) return;
  kept_.try_emplace(images.pixels.data(), images, device_, *kernels_);
}

const DeviceImages* BatchMaker::keptOf(const LabeledImages& images) const {
  const auto found = kept_.find(images.pixels.data());
  return found != kept_.end() ? &found->second : nullptr;
}

at::TensorOptions BatchMaker::hostOptions(at::ScalarType type) const {
  return at::TensorOptions(type).pinned_memory(device_.is_cuda());
}

at::Tensor BatchMaker::emptyImages(const LabeledImages& images, std::size_t count) const {
  return at::empty({static_cast<std::int64_t>(count), images.channels, images.height, images.width},
                   hostOptions(at::kFloat)
                       .memory_format(channelsLast_ ? at::MemoryFormat::ChannelsLast
                                                    : at::MemoryFormat::Contiguous));
}

TensorBatch BatchMaker::onDevice(TensorBatch batch) const {
  if (device_.is_cpu()) return batch;
  return {batch.images.to(device_, at::kFloat, /*non_blocking=*/true),
          batch.labels.to(device_, /*non_blocking=*/true)};
}

template <class IndexOf>
at::Tensor BatchMaker::labelsOf(const LabeledImages& images,
                                std::size_t count,
                                const IndexOf& indexOf) const {
  const auto n = static_cast<std::int64_t>(count);
  const std::size_t width = images.numberNames.size();
  if (width == 0) {
    at::Tensor labels = at::empty({n}, hostOptions(at::kLong));
    auto* label = labels.mutable_data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < count; ++i) *label++ = images.labels[indexOf(i)];
    return labels;
  }
  at::Tensor labels = at::empty({n, static_cast<std::int64_t>(width)}, hostOptions(at::kFloat));
  auto* label = labels.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const NumberScale& scale = numbers_[j];
      const double number = images.numbers[indexOf(i) * width + j];
      *label++ = static_cast<float>((number - scale.mean) / scale.deviation);
    }
  }
  return labels;
}

TensorBatch BatchMaker::augmented(const LabeledImages& images,
                                  std::span<const std::uint32_t> indices,
                                  int epoch) const {
  if (const DeviceImages* kept = keptOf(images)) {
    const at::ScalarType type = precision_ == Precision::bfloat16 ? at::kBFloat16 : at::kFloat;
    return kept->augmented(
        augmenter_, indices, static_cast<std::uint64_t>(epoch), {layout(), type});
  }
  TensorBatch batch{emptyImages(images, indices.size()),
                    labelsOf(images, indices.size(), [&](std::size_t i) { return indices[i]; })};
  augmenter_.augment(images,
                     indices,
                     static_cast<std::uint64_t>(epoch),
                     layout(),
                     batch.images.mutable_data_ptr<float>());
  return onDevice(std::move(batch));
}

TensorBatch BatchMaker::plain(const LabeledImages& images,
                              std::size_t first,
                              std::size_t count) const {
  if (const DeviceImages* kept = keptOf(images)) {
    return kept->plain(augmenter_, first, count, {layout(), at::kFloat});
  }
  TensorBatch batch{emptyImages(images, count),
                    labelsOf(images, count, [&](std::size_t i) { return first + i; })};
  augmenter_.normalize(images, first, count, layout(), batch.images.mutable_data_ptr<float>());
  return onDevice(std::move(batch));
}

}  // namespace lambda
