#include "engine/formats/transfer/weight_transfer.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/pytorch/state_dict.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/formats/tensors/weights_file.h"
#include "engine/formats/transfer/torch_names.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::size_t kNamesInText = 6;
constexpr std::string_view kHeadPrefix = "head.";
constexpr std::string_view kCounter = ".num_batches_tracked";

std::vector<std::byte> firstBytesOf(const std::filesystem::path& path) {
  FileReader reader(path);
  std::vector<std::byte> start(16);
  start.resize(reader.read(start));
  return start;
}

/// Filters of 1 x 1 are [d, c, 1, 1] or [d, c], and the shares of RWKV-4 [1, 1, d] or [d].
std::vector<std::int64_t> withoutOuterOnes(std::vector<std::int64_t> shape) {
  while (!shape.empty() && shape.back() == 1) shape.pop_back();
  const auto first = std::ranges::find_if(shape, [](std::int64_t size) { return size != 1; });
  shape.erase(shape.begin(), first);
  return shape;
}

std::string namesText(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamesInText; ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  return names.size() > kNamesInText ? text + ", ..." : text;
}

std::string countText(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// What becomes of the file's tensors if the names of the network's come after `prefix`.
WeightTransfer planAfter(const std::string& prefix,
                         const ForeignWeights& weights,
                         const std::vector<TensorShape>& network,
                         bool newHead) {
  WeightTransfer transfer{.entry = weights.entry, .prefix = prefix};
  std::map<std::string_view, const TensorView*> unused;
  for (const TensorView& tensor : weights.file.tensors) unused.emplace(tensor.name, &tensor);
  std::map<std::string, std::string> reasons;
  for (const TensorShape& target : network) {
    bool found = false;
    for (const std::string& known : torchNamesOf(target.name)) {
      const std::string name = prefix + known;
      const auto source = unused.find(name);
      if (source == unused.end()) continue;
      const std::vector<std::int64_t>& shape = source->second->shape;
      if (withoutOuterOnes(shape) != withoutOuterOnes(target.shape)) {
        reasons.emplace(name,
                        "shape " + shapeText(shape) + " instead of " + shapeText(target.shape));
        continue;
      }
      if (newHead && target.name.starts_with(kHeadPrefix)) {
        reasons.emplace(name, "its classes have other names");
        continue;
      }
      unused.erase(source);
      transfer.taken.push_back({target.name, name});
      found = true;
      break;
    }
    if (!found) transfer.missing.push_back(target.name);
  }
  for (const TensorView& tensor : weights.file.tensors) {
    if (!unused.contains(tensor.name)) continue;
    const auto reason = reasons.find(tensor.name);
    transfer.left.push_back(
        {tensor.name, reason != reasons.end() ? reason->second : "no such part in this network"});
  }
  return transfer;
}

std::vector<std::string> namesOf(const SafeTensors& file) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors) names.push_back(tensor.name);
  return names;
}

}  // namespace

bool beginsAsWeights(const std::filesystem::path& path) {
  constexpr std::size_t kSafeTensorsHeader = 8;
  const std::vector<std::byte> start = firstBytesOf(path);
  const bool isSafeTensors =
      start.size() > kSafeTensorsHeader && start[kSafeTensorsHeader] == std::byte{'{'};
  return isSafeTensors || looksLikeStateDict(start);
}

ForeignWeights readForeignWeights(const std::filesystem::path& path) {
  ForeignWeights weights;
  weights.place = path.string();
  if (looksLikeStateDict(firstBytesOf(path))) {
    StateDict read = readStateDict(path);
    weights.file = std::move(read.file);
    weights.entry = std::move(read.entry);
  } else {
    weights.file = readSafeTensors(path);
    if (isCheckpoint(weights.file)) {
      Weights own = weightsIn(weights.file, weights.place, WeightsChoice::evaluated);
      weights.file = std::move(own.file);
      weights.input = std::move(own.header.input);
    }
  }
  for (TensorView& tensor : weights.file.tensors) tensor.name = withValidUtf8(tensor.name);
  weights.sha256 = sha256OfFile(path);
  return weights;
}

std::string WeightTransfer::summary() const {
  std::string text = "takes " + std::to_string(taken.size()) + " of the network's " +
                     countText(taken.size() + missing.size(), "tensor");
  if (!entry.empty()) text += " from its entry " + entry;
  if (!prefix.empty()) {
    text +=
        std::string(entry.empty() ? " from names" : ", from names") + " that begin with " + prefix;
  }
  if (!missing.empty()) {
    text += "; " + std::to_string(missing.size()) +
            (missing.size() == 1 ? " keeps its initial values: " : " keep their initial values: ") +
            namesText(missing);
  }
  if (!left.empty()) {
    std::vector<std::string> names;
    for (const Left& each : left) names.push_back(each.name + " (" + each.reason + ")");
    text += "; left out of the file: " + namesText(names);
  }
  return text;
}

WeightTransfer planTransfer(const ForeignWeights& weights,
                            const std::vector<TensorShape>& network,
                            const std::vector<std::string>& classNames) {
  const std::vector<std::string> theirs = weights.input.outputNames();
  const bool newHead = !theirs.empty() && !classNames.empty() && theirs != classNames;
  WeightTransfer best;
  for (const std::string& prefix : sharedPrefixes(namesOf(weights.file))) {
    WeightTransfer found = planAfter(prefix, weights, network, newHead);
    if (found.taken.size() > best.taken.size()) best = std::move(found);
  }
  const bool hasWeights = std::ranges::any_of(best.taken, [](const WeightTransfer::Taken& each) {
    return !each.source.ends_with(kCounter);
  });
  if (!hasWeights) {
    throw Error(
        weights.place,
        "has no weights for this network",
        "Names and shapes must be those of this network, of a ResNet of torchvision or timm "
        "with the same stages, or of a published RWKV-4.");
  }
  return best;
}

}  // namespace lambda
