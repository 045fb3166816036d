#include "engine/trained/classifier.h"

#include "engine/formats/files/durable_file.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/runtime/error.h"
#include "engine/trained/predictor.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMaxPictureBytes = std::uint64_t{1} << 30;

}  // namespace

struct Classifier::Impl {
  Predictor predictor;

  std::vector<float> classify(const Image& picture) {
    return predictor.predictImages(predictor.inputOf(picture));
  }
};

Classifier::Classifier(const std::filesystem::path& run)
    : impl_(std::make_unique<Impl>(Predictor(run))) {}

Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

const std::vector<std::string>& Classifier::classNames() const {
  return impl_->predictor.input().classNames;
}

std::vector<float> Classifier::classify(const std::filesystem::path& picture) {
  const std::string bytes = readFile(picture, kMaxPictureBytes);
  return impl_->classify(
      decodePicture(std::as_bytes(std::span(bytes.data(), bytes.size())), picture.string()).image);
}

std::vector<float> Classifier::classify(std::span<const std::uint8_t> rgb, int width, int height) {
  const PictureLimits limits;
  const auto w = static_cast<std::uint64_t>(width);
  const auto h = static_cast<std::uint64_t>(height);
  if (width < 1 || height < 1 || w > limits.side || h > limits.side || rgb.size() != 3 * w * h) {
    throw Error("pixels",
                std::to_string(rgb.size()) + " bytes for " + std::to_string(width) + " x " +
                    std::to_string(height) + " pixels",
                "Give three bytes for each pixel, and at most 20,000 pixels a side.");
  }
  return impl_->classify({width, height, {rgb.begin(), rgb.end()}});
}

}  // namespace lambda
