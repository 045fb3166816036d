#include "engine/formats/tensors/weights_file.h"

#include <algorithm>
#include <string_view>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/config_json.h"
#include "engine/runtime/error.h"

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

Weights readWeights(const std::filesystem::path& checkpoint, WeightsChoice choice) {
  const SafeTensors file = readSafeTensors(checkpoint);
  const auto header = file.metadata.find(std::string(kCheckpointKey));
  if (header == file.metadata.end() || !holds(file, kModelPrefix)) {
    throw Error(checkpoint.string(),
                "this safetensors file is not a checkpoint of Lambda Studio",
                "Give a file from a run's checkpoints folder.");
  }
  verifyDigest(file, checkpoint.string());

  Weights weights;
  weights.averaged = choice == WeightsChoice::evaluated && holds(file, kAveragePrefix);
  weights.file.storage = file.storage;
  const std::string_view prefix = weights.averaged ? kAveragePrefix : kModelPrefix;
  for (TensorView tensor : file.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    tensor.name.erase(0, prefix.size());
    weights.parameters += elementsOf(tensor);
    weights.file.tensors.push_back(std::move(tensor));
  }
  const RunConfig config = checkpointHeaderFromJson(header->second, checkpoint.string()).config;
  weights.file.metadata = {{"format", "pt"}, {"architecture", toJson(config.architecture)}};
  return weights;
}

void writeWeights(const std::filesystem::path& path, const Weights& weights) {
  writeSafeTensors(path, weights.file.tensors, weights.file.metadata, {.digest = false});
}

}  // namespace lambda
