#include "engine/formats/inspection/probe_snapshot.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "engine/formats/inspection/epoch_files.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uintmax_t kMaxBytes = 256U << 20;
constexpr std::string_view kProbabilities = "probabilities";
constexpr std::int64_t kAnySize = -1;
constexpr const char* kForeignHint =
    "the file is damaged, or of another run or program: remove it to see the others";

/// An array of a layer: the suffix of its tensor's name, and the sizes that it must have.
struct LayerArray {
  std::string_view suffix;
  Array ProbeLayer::*member;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> otherShape = {};  ///< Empty where there is one shape only.
};

std::vector<LayerArray> arraysOf(const InspectableLayer& layer) {
  const std::vector<std::int64_t> lambda{layer.lambdaRows(), layer.valueDepth};
  const std::vector<std::int64_t> maps{layer.heads, layer.intraDepth, layer.height, layer.width};
  const std::vector<std::int64_t> tiles{layer.lambdaRows(), layer.intraDepth, kAnySize, kAnySize};
  const std::vector<std::int64_t> patterns{kAnySize, kAnySize, kAnySize};
  const std::vector<std::int64_t> list{kAnySize};
  // A list for each head that has a lambda of its own; older files have one of all together.
  const std::vector<std::int64_t> lists{layer.lambdas, kAnySize};
  return {
      {".lambda.content", &ProbeLayer::lambdaContent, lambda},
      {".lambda.position", &ProbeLayer::lambdaPosition, lambda},
      {".contributions.content", &ProbeLayer::contributionsContent, maps},
      {".contributions.position", &ProbeLayer::contributionsPosition, maps},
      {".contributions.total", &ProbeLayer::contributionsTotal, maps},
      {".embeddings", &ProbeLayer::embeddings, tiles},
      {".embeddings.change", &ProbeLayer::embeddingChange, tiles},
      {".singular_values.content", &ProbeLayer::singularContent, list, lists},
      {".singular_values.position", &ProbeLayer::singularPosition, list, lists},
      {".singular_values.total", &ProbeLayer::singularTotal, list, lists},
      {".patterns", &ProbeLayer::patterns, patterns},
      {".patterns.shares", &ProbeLayer::patternShares, list},
      {".change_patterns", &ProbeLayer::changePatterns, patterns},
      {".change_patterns.shares", &ProbeLayer::changePatternShares, list},
  };
}

std::string textOf(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    text += (text.empty() ? "" : ", ") + (size == kAnySize ? "any" : std::to_string(size));
  }
  return "[" + text + "]";
}

/// Whether there are numbers, with the expected sizes.
bool fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& expected) {
  return std::ranges::equal(shape, expected, [](std::int64_t size, std::int64_t wanted) {
    return size > 0 && (size == wanted || wanted == kAnySize);
  });
}

Array arrayOf(const TensorView& tensor,
              const std::vector<std::int64_t>& expected,
              const std::vector<std::int64_t>& other,
              const std::string& place) {
  const bool isFitting =
      fits(tensor.shape, expected) || (!other.empty() && fits(tensor.shape, other));
  if (tensor.dtype != DType::F32 || !isFitting) {
    throw Error(place,
                "tensor \"" + tensor.name + "\" is " + std::string(dtypeName(tensor.dtype)) + " " +
                    textOf(tensor.shape) + ", expected F32 " + textOf(expected),
                kForeignHint);
  }
  Array array{tensor.shape, std::vector<float>(tensor.bytes.size() / sizeof(float))};
  std::memcpy(array.values.data(), tensor.bytes.data(), tensor.bytes.size());
  return array;
}

/// Arrays that are shown together have each other and fit.
void requireCounterparts(const ProbeLayer& layer, const std::string& place) {
  const auto require = [&](bool isTrue, const std::string& what) {
    if (!isTrue) throw Error(place, "layer \"" + layer.name + "\": " + what, kForeignHint);
  };
  require(layer.embeddingChange.empty() || layer.embeddingChange.shape == layer.embeddings.shape,
          "the change of the embeddings does not have their shape");
  const auto requirePatterns = [&](const Array& patterns, const Array& shares, const Array& tiles) {
    if (patterns.empty() && shares.empty()) return;
    require(!patterns.empty() && !shares.empty() && patterns.shape[0] == shares.shape[0],
            "there is not one share for each of its patterns");
    require(!tiles.empty() && patterns.shape[1] == tiles.shape[2] &&
                patterns.shape[2] == tiles.shape[3],
            "its patterns do not have the shape of its embeddings");
  };
  requirePatterns(layer.patterns, layer.patternShares, layer.embeddings);
  requirePatterns(layer.changePatterns, layer.changePatternShares, layer.embeddingChange);
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

/// Refuses arrays of a layer that the network does not have.
void requireKnownLayers(const SafeTensors& file,
                        std::span<const InspectableLayer> layers,
                        const std::string& place) {
  std::set<std::string_view> known;
  for (const InspectableLayer& layer : layers) known.insert(layer.name);
  const std::vector<LayerArray> arrays = arraysOf({});
  for (const TensorView& tensor : file.tensors) {
    const std::string_view name = tensor.name;
    for (const LayerArray& array : arrays) {
      if (!name.ends_with(array.suffix)) continue;
      if (known.contains(name.substr(0, name.size() - array.suffix.size()))) break;
      throw Error(place,
                  "tensor \"" + std::string(utf8Prefix(name, 100)) +
                      "\" is of a layer that the run's network does not have",
                  kForeignHint);
    }
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
    for (const LayerArray& item : arraysOf({})) {
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

ProbeSnapshot probeSnapshotOf(const SafeTensors& file,
                              const std::string& place,
                              std::span<const InspectableLayer> layers) {
  ProbeSnapshot snapshot;
  snapshot.epoch = static_cast<int>(metadataNumber(file, "epoch", 1'000'000'000, place));
  snapshot.step = metadataNumber(file, "step", INT64_MAX, place);
  requireKnownLayers(file, layers, place);
  std::map<std::string_view, const TensorView*> tensors;
  for (const TensorView& tensor : file.tensors) tensors.emplace(tensor.name, &tensor);
  if (const auto found = tensors.find(kProbabilities); found != tensors.end()) {
    snapshot.probabilities = arrayOf(*found->second, {kAnySize}, {}, place).values;
  }
  for (const InspectableLayer& layer : layers) {
    ProbeLayer stored{.name = layer.name};
    for (const LayerArray& array : arraysOf(layer)) {
      const auto found = tensors.find(layer.name + std::string(array.suffix));
      if (found == tensors.end()) continue;
      stored.*array.member = arrayOf(*found->second, array.shape, array.otherShape, place);
    }
    if (stored == ProbeLayer{.name = layer.name}) continue;
    requireCounterparts(stored, place);
    snapshot.layers.push_back(std::move(stored));
  }
  return snapshot;
}

ProbeSnapshot readProbeSnapshot(const fs::path& path, std::span<const InspectableLayer> layers) {
  const std::string place = path.string();
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxBytes) {
    throw Error(place,
                "has " + std::to_string(size) + " bytes, too many for a probe snapshot",
                "give a file from a run's inspection folder");
  }
  const SafeTensors file = readSafeTensors(path);
  verifyDigest(file, place);
  return probeSnapshotOf(file, place, layers);
}

std::vector<fs::path> probeSnapshotsOf(const fs::path& inspectionFolder) {
  return epochFilesOf(inspectionFolder);
}

}  // namespace lambda
