#include "engine/prediction/predictor.h"

#include <utility>

#include <ATen/ATen.h>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/measured_input.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/resolved_config.h"

namespace lambda {

namespace {

RunConfig configHere(RunConfig config, const std::optional<DeviceConfig>& device) {
  if (device) config.device = *device;
  return config;
}

void requirePictures(const std::string& place, const MapShape& input) {
  if (input.channels == 1 || input.channels == 3) return;
  throw Error(place,
              "its network takes images of " + std::to_string(input.channels) +
                  " channels, but pictures have one or three",
              "Classify its own data with lambda evaluate.");
}

}  // namespace

struct Predictor::Impl {
  Impl(const std::filesystem::path& run, const PredictorOptions& options)
      : checkpoint(checkpointAt(run)),
        header(readCheckpointHeader(checkpoint)),
        resolved(configHere(header.config, options.device)),
        loaded(loadNetwork(checkpoint, torchDevice(resolved.device()))),
        input(loaded.header.input.isKnown()
                  ? loaded.header.input
                  : measuredInput(loaded.header.config.data, options.data)),
        maker(resolved.config(), input.normalization, torchDevice(resolved.device())) {
    requirePictures(checkpoint.string(), shape());
  }

  const MapShape& shape() const { return loaded.header.config.architecture.input; }

  std::filesystem::path checkpoint;
  CheckpointHeader header;
  ResolvedConfig resolved;
  TensorMemoryReuse reuse;
  LoadedNetwork loaded;
  NetworkInput input;
  BatchMaker maker;
};

Predictor::Predictor(const std::filesystem::path& run, const PredictorOptions& options)
    : impl_(std::make_unique<Impl>(run, options)) {}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const CheckpointHeader& Predictor::header() const {
  return impl_->loaded.header;
}

const std::filesystem::path& Predictor::checkpoint() const {
  return impl_->checkpoint;
}

bool Predictor::isVerified() const {
  return impl_->loaded.isVerified;
}

const std::vector<std::string>& Predictor::classNames() const {
  return impl_->input.classNames;
}

std::size_t Predictor::imageBytes() const {
  return static_cast<std::size_t>(impl_->shape().elements());
}

std::vector<std::uint8_t> Predictor::inputOf(const Image& picture) const {
  return inputImage(picture, impl_->shape());
}

std::vector<float> Predictor::predictImages(std::vector<std::uint8_t> images) {
  LabeledImages set{.channels = impl_->shape().channels,
                    .height = impl_->shape().height,
                    .width = impl_->shape().width,
                    .pixels = std::move(images),
                    .labels = {},
                    .classNames = {}};
  set.labels.resize(set.pixels.size() / imageBytes());
  std::vector<float> probabilities;
  const auto take = [&](const at::Tensor& logits, const at::Tensor&) {
    const at::Tensor rows = logits.softmax(1).to(at::kCPU).contiguous();
    if (!rows.isfinite().all().item<bool>()) {
      throw Error(impl_->checkpoint.string(),
                  "a logit is not finite: the network overflows",
                  "Use an earlier checkpoint.");
    }
    const float* first = rows.const_data_ptr<float>();
    probabilities.insert(probabilities.end(), first, first + rows.numel());
  };
  classify(
      *impl_->loaded.network, set, impl_->maker, [](std::int64_t) { return true; }, take);
  return probabilities;
}

}  // namespace lambda
