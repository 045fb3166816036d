#include "engine/formats/tensors/weights_file.h"

#include <algorithm>
#include <string_view>

#include "engine/formats/tensors/checkpoint_file.h"

namespace lambda {

namespace {

constexpr std::string_view kModelPrefix = "model.";
constexpr std::string_view kAveragePrefix = "average.";

std::int64_t elementsOf(const TensorView& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  return count;
}

bool holds(const SafeTensors& file, std::string_view prefix) {
  return std::any_of(file.tensors.begin(), file.tensors.end(), [&](const TensorView& tensor) {
    return tensor.name.starts_with(prefix);
  });
}

}  // namespace

bool isExportedWeights(const SafeTensors& file) {
  return !holds(file, kModelPrefix);
}

Weights readWeights(const std::filesystem::path& checkpoint, WeightsChoice choice) {
  return weightsIn(readSafeTensors(checkpoint), checkpoint.string(), choice);
}

Weights weightsIn(const SafeTensors& file, const std::string& place, WeightsChoice choice) {
  Weights weights;
  weights.header = checkpointHeaderOf(file, place);
  weights.exported = isExportedWeights(file);
  if (!weights.exported) verifyDigest(file, place);

  weights.averaged = choice == WeightsChoice::evaluated && holds(file, kAveragePrefix);
  weights.file.storage = file.storage;
  const std::string_view prefix = weights.exported   ? std::string_view()
                                  : weights.averaged ? kAveragePrefix
                                                     : kModelPrefix;
  for (TensorView tensor : file.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    tensor.name.erase(0, prefix.size());
    weights.values += elementsOf(tensor);
    weights.file.tensors.push_back(std::move(tensor));
  }
  return weights;
}

void writeWeights(const std::filesystem::path& path,
                  const Weights& weights,
                  const WeightsDescription& description) {
  writeSafeTensors(path, weights.file.tensors, metadataOf(description), {.digest = false});
}

}  // namespace lambda
