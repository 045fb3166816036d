#include "engine/formats/inspection/probe_snapshot.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uintmax_t kMaxBytes = 256U << 20;
constexpr std::string_view kProbabilities = "probabilities";

/// An array of a layer with the suffix of its tensor's name.
struct LayerArray {
  std::string_view suffix;
  Array ProbeLayer::*member;
  std::size_t rank;
  std::size_t mostRank = rank;
};

constexpr LayerArray kArrays[] = {
    {".lambda.content", &ProbeLayer::lambdaContent, 2},
    {".lambda.position", &ProbeLayer::lambdaPosition, 2},
    {".contributions.content", &ProbeLayer::contributionsContent, 4},
    {".contributions.position", &ProbeLayer::contributionsPosition, 4},
    {".contributions.total", &ProbeLayer::contributionsTotal, 4},
    {".embeddings", &ProbeLayer::embeddings, 4},
    {".embeddings.change", &ProbeLayer::embeddingChange, 4},
    {".singular_values.content", &ProbeLayer::singularContent, 1, 2},
    {".singular_values.position", &ProbeLayer::singularPosition, 1, 2},
    {".singular_values.total", &ProbeLayer::singularTotal, 1, 2},
    {".patterns", &ProbeLayer::patterns, 3},
    {".patterns.shares", &ProbeLayer::patternShares, 1},
    {".change_patterns", &ProbeLayer::changePatterns, 3},
    {".change_patterns.shares", &ProbeLayer::changePatternShares, 1},
};

/// The numbers in a layer's name, "stage3.block2.mixer" as [3, 2], which give the network order.
std::vector<int> numbersIn(std::string_view name) {
  std::vector<int> numbers;
  const char* at = name.data();
  const char* const end = at + name.size();
  while (at != end) {
    int number = 0;
    const auto [next, failure] = std::from_chars(at, end, number);
    if (failure == std::errc::invalid_argument) {
      ++at;
    } else {
      numbers.push_back(number);
      at = next;
    }
  }
  return numbers;
}

Array arrayOf(const TensorView& tensor,
              std::size_t rank,
              std::size_t mostRank,
              const std::string& place) {
  const std::size_t found = tensor.shape.size();
  if (tensor.dtype != DType::F32 || found < rank || found > mostRank) {
    throw Error(place,
                "tensor \"" + tensor.name + "\" is not a float32 array of rank " +
                    std::to_string(rank) +
                    (mostRank > rank ? " or " + std::to_string(mostRank) : ""),
                "the file was made by another program");
  }
  Array array{tensor.shape, std::vector<float>(tensor.bytes.size() / sizeof(float))};
  if (!tensor.bytes.empty()) {
    std::memcpy(array.values.data(), tensor.bytes.data(), tensor.bytes.size());
  }
  return array;
}

std::int64_t metadataNumber(const SafeTensors& file,
                            const std::string& key,
                            std::int64_t most,
                            const std::string& place) {
  const auto found = file.metadata.find(key);
  std::int64_t number = -1;
  if (found != file.metadata.end()) {
    const std::string& text = found->second;
    const char* const end = text.data() + text.size();
    const auto [last, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || last != end) number = -1;
  }
  if (number < 0 || number > most) {
    throw Error(place,
                "this safetensors file is not a probe snapshot: it has no " + key,
                "give a file from a run's inspection folder");
  }
  return number;
}

ProbeLayer& layerOf(ProbeSnapshot& snapshot, std::string_view name) {
  const auto found = std::ranges::find(snapshot.layers, name, &ProbeLayer::name);
  if (found != snapshot.layers.end()) return *found;
  ProbeLayer layer;
  layer.name = name;
  return snapshot.layers.emplace_back(std::move(layer));
}

void take(const TensorView& tensor, const std::string& place, ProbeSnapshot& snapshot) {
  if (tensor.name == kProbabilities) {
    snapshot.probabilities = arrayOf(tensor, 1, 1, place).values;
    return;
  }
  const std::string_view name = tensor.name;
  for (const LayerArray& array : kArrays) {
    if (!name.ends_with(array.suffix)) continue;
    ProbeLayer& layer = layerOf(snapshot, name.substr(0, name.size() - array.suffix.size()));
    layer.*array.member = arrayOf(tensor, array.rank, array.mostRank, place);
    return;
  }
}

TensorView viewOf(std::string name,
                  std::vector<std::int64_t> shape,
                  std::span<const float> values) {
  return {std::move(name), DType::F32, std::move(shape), std::as_bytes(values)};
}

}  // namespace

void writeProbeSnapshot(const fs::path& path, const ProbeSnapshot& snapshot) {
  std::vector<TensorView> views;
  if (!snapshot.probabilities.empty()) {
    views.push_back(viewOf(std::string(kProbabilities),
                           {static_cast<std::int64_t>(snapshot.probabilities.size())},
                           snapshot.probabilities));
  }
  for (const ProbeLayer& layer : snapshot.layers) {
    for (const LayerArray& item : kArrays) {
      const Array& array = layer.*item.member;
      if (array.empty()) continue;
      views.push_back(viewOf(layer.name + std::string(item.suffix), array.shape, array.values));
    }
  }
  writeSafeTensors(
      path,
      std::move(views),
      {{"epoch", std::to_string(snapshot.epoch)}, {"step", std::to_string(snapshot.step)}});
}

ProbeSnapshot readProbeSnapshot(const fs::path& path) {
  const std::string place = path.string();
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxBytes) {
    throw Error(place,
                "has " + std::to_string(size) + " bytes, too many for a probe snapshot",
                "give a file from a run's inspection folder");
  }
  const SafeTensors file = readSafeTensors(path);
  ProbeSnapshot snapshot;
  snapshot.epoch = static_cast<int>(metadataNumber(file, "epoch", 1'000'000'000, place));
  snapshot.step = metadataNumber(file, "step", INT64_MAX, place);
  verifyDigest(file, place);
  for (const TensorView& tensor : file.tensors) take(tensor, place, snapshot);
  std::ranges::stable_sort(
      snapshot.layers, {}, [](const ProbeLayer& layer) { return numbersIn(layer.name); });
  return snapshot;
}

std::vector<fs::path> probeSnapshotsOf(const fs::path& inspectionFolder) {
  return epochFilesOf(inspectionFolder);
}

}  // namespace lambda
