#include "engine/trained/predictor.h"

#include <cstddef>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/measured_input.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"
#include "engine/trained/predicted_numbers.h"
#include "engine/trained/trained_network.h"
#include "engine/training/scoring.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMaxPictureBytes = 256U << 20;

std::vector<std::uint8_t> inputOfFile(const Predictor& predictor, PredictedFile& result) {
  const std::string bytes = readFile(result.file, kMaxPictureBytes);
  const Picture picture = decodePicture(std::as_bytes(std::span(bytes)), result.file);
  result.isTurned = picture.isTurned;
  result.isTransparent = picture.isTransparent;
  return predictor.inputOf(picture.image);
}

void requirePictures(const std::string& place, const MapShape& input) {
  if (input.channels == 1 || input.channels == 3) return;
  throw Error(place,
              "its network takes images of " + std::to_string(input.channels) +
                  " channels, but pictures have one or three",
              "Classify its own data with lambda evaluate.");
}

NetworkInput inputFor(const TrainedNetwork& trained, const PredictorOptions& options) {
  const CheckpointHeader& header = trained.header();
  if (header.config.architecture.task == Task::tokens) {
    throw Error(trained.checkpoint().string(),
                "its network takes sequences of tokens, not pictures",
                "Score it on its own data with lambda evaluate.");
  }
  return header.input.isKnown() ? header.input : measuredInput(header.config.data, options.data);
}

}  // namespace

struct Predictor::Impl {
  Impl(const std::filesystem::path& run, const PredictorOptions& options)
      : trained(run, {.device = options.device}),
        input(inputFor(trained, options)),
        maker(trained.resolved().config(), input, torchDevice(trained.resolved().device())) {
    requirePictures(trained.checkpoint().string(), shape());
  }

  const MapShape& shape() const { return trained.header().config.architecture.input; }

  TrainedNetwork trained;
  NetworkInput input;
  BatchMaker maker;
};

Predictor::Predictor(const std::filesystem::path& run, const PredictorOptions& options)
    : impl_(std::make_unique<Impl>(run, options)) {}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const CheckpointHeader& Predictor::header() const {
  return impl_->trained.header();
}

const std::filesystem::path& Predictor::checkpoint() const {
  return impl_->trained.checkpoint();
}

bool Predictor::isVerified() const {
  return impl_->trained.weights().isVerified;
}

const NetworkInput& Predictor::input() const {
  return impl_->input;
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
  const auto valuesOf = [this](const at::Tensor& outputs) {
    switch (impl_->trained.weights().network->architecture.task) {
      case Task::regression:
        return inUnits(outputs, impl_->input.numbers);
      case Task::classification:
      case Task::tokens:
        break;
    }
    const at::Tensor rows = outputs.softmax(1).to(at::kCPU).contiguous();
    return std::vector<float>(rows.const_data_ptr<float>(),
                              rows.const_data_ptr<float>() + rows.numel());
  };
  std::vector<float> values;
  const auto take = [&](const at::Tensor& outputs, const at::Tensor&) {
    if (!outputs.isfinite().all().item<bool>()) {
      throw Error(impl_->trained.checkpoint().string(),
                  "an output is not finite: the network overflows",
                  "Use an earlier checkpoint.");
    }
    const std::vector<float> rows = valuesOf(outputs);
    values.insert(values.end(), rows.begin(), rows.end());
  };
  classify(
      *impl_->trained.weights().network,
      ImageExamples(set, impl_->maker),
      [](std::int64_t) { return true; },
      take);
  return values;
}

std::vector<PredictedFile> predictFiles(Predictor& predictor, std::span<const std::string> files) {
  std::vector<PredictedFile> results(files.size());
  std::vector<std::vector<std::uint8_t>> inputs(files.size());
  const auto decode = [&](std::int64_t first, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
      results[i].file = files[i];
      try {
        inputs[i] = inputOfFile(predictor, results[i]);
      } catch (const Error& error) {
        results[i].problem = error.reason();
      }
    }
  };
  // A picture takes long enough to decode that each thread may take few at a time.
  at::parallel_for(0, static_cast<std::int64_t>(files.size()), /*grain_size=*/4, decode);

  std::vector<std::uint8_t> images;
  images.reserve(inputs.size() * predictor.imageBytes());
  for (const std::vector<std::uint8_t>& input : inputs) {
    images.insert(images.end(), input.begin(), input.end());
  }
  if (images.empty()) return results;
  const std::size_t count = images.size() / predictor.imageBytes();
  const std::vector<float> values = predictor.predictImages(std::move(images));
  const std::size_t outputs = values.size() / count;
  const float* next = values.data();
  for (PredictedFile& result : results) {
    if (!result.problem.empty()) continue;
    result.outputs.assign(next, next + outputs);
    next += outputs;
  }
  return results;
}

}  // namespace lambda
