#include "engine/prediction/predict_files.h"

#include <cstddef>
#include <utility>

#include <ATen/Parallel.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/runtime/error.h"

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

}  // namespace

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
  const std::vector<float> probabilities = predictor.predictImages(std::move(images));
  const std::size_t classes = probabilities.size() / count;
  const float* next = probabilities.data();
  for (PredictedFile& result : results) {
    if (!result.problem.empty()) continue;
    result.probabilities.assign(next, next + classes);
    next += classes;
  }
  return results;
}

}  // namespace lambda
