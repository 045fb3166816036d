#include "engine/formats/transfer/rwkv_network.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::int64_t kLargestSize = 1 << 20;
constexpr std::size_t kMostBlocks = 4096;

constexpr std::string_view kBlocks = "blocks.";
constexpr const char* kHint =
    "Give an RWKV-4 checkpoint as it was published; later versions compute otherwise and are not "
    "read.";

bool isOfTimeMixing(const TensorView& tensor) {
  return tensor.name.starts_with(kBlocks) && tensor.name.find(".att.time_") != std::string::npos;
}

Shape withoutLeadingOnes(Shape shape) {
  const auto first = std::ranges::find_if(shape, [](std::int64_t size) { return size != 1; });
  shape.erase(shape.begin(), first);
  return shape;
}

/// Reads the sizes of a network and compares all tensors with them.
class RwkvReader {
 public:
  RwkvReader(const SafeTensors& file, const std::string& place) : file_(file), place_(place) {
    for (const TensorView& tensor : file.tensors) tensors_.emplace(tensor.name, &tensor);
  }

  Architecture read(int length) {
    const std::size_t blocks = countBlocks();
    const Shape& embedding = matrix("emb.weight").shape;
    const std::int64_t vocabulary = embedding[0], depth = embedding[1];
    const TensorView& key = matrix("blocks.0.ffn.key.weight");
    const std::int64_t hidden = key.shape[0];
    if (hidden % depth != 0) {
      refuse(key, "a first size that is a multiple of the width, " + std::to_string(depth));
    }
    check("emb.weight", {vocabulary, depth});
    checkNorm("blocks.0.ln0", depth);
    for (std::size_t i = 0; i < blocks; ++i) checkBlock(i, depth, hidden);
    checkNorm("ln_out", depth);
    check("head.weight", {vocabulary, depth});
    refuseOthers();

    Block block{RwkvMixer{}};
    block.channelMixing = ChannelMixing::rwkv;
    block.expansion = static_cast<int>(hidden / depth);
    const int width = static_cast<int>(depth);
    Architecture architecture;
    architecture.name =
        "RWKV-4, " + std::to_string(blocks) + " blocks, " + std::to_string(width) + " wide";
    architecture.input = {1, 1, length};
    architecture.task = Task::tokens;
    architecture.outputs = static_cast<int>(vocabulary);
    architecture.family = Family::sequence;
    architecture.stem = {EmbeddingStem{}, width};
    architecture.stages = {Stage{width, 1, std::vector<Block>(blocks, block)}};
    architecture.head.bias = false;
    return architecture;
  }

 private:
  [[noreturn]] void refuse(const TensorView& tensor, const std::string& expected) const {
    throw Error(place_,
                "tensor " + tensor.name + " is " + shapeText(tensor.shape) +
                    ", and RWKV-4 has here " + expected,
                kHint);
  }

  /// How many blocks the names have, whatever their numbers are.
  std::size_t countBlocks() const {
    std::set<std::string_view> numbers;
    for (const auto& [name, tensor] : tensors_) {
      if (!name.starts_with(kBlocks)) continue;
      const std::string_view rest = name.substr(kBlocks.size());
      numbers.insert(rest.substr(0, rest.find('.')));
    }
    if (numbers.size() <= kMostBlocks) return numbers.size();
    throw Error(place_,
                "has " + std::to_string(numbers.size()) + " blocks, and at most " +
                    std::to_string(kMostBlocks) + " are read");
  }

  const TensorView& tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      throw Error(place_, "lacks the tensor " + name + " of an RWKV-4 network", kHint);
    }
    const TensorView& each = *found->second;
    if (each.dtype != DType::F32 && each.dtype != DType::BF16 && each.dtype != DType::F16) {
      throw Error(place_,
                  "tensor " + name + " has the type " + std::string(dtypeName(each.dtype)) +
                      ", and F32, BF16 or F16 is expected");
    }
    return each;
  }

  const TensorView& matrix(const std::string& name) const {
    const TensorView& found = tensor(name);
    const bool isUsual = std::ranges::all_of(
        found.shape, [](std::int64_t size) { return size > 0 && size <= kLargestSize; });
    if (found.shape.size() != 2 || !isUsual) {
      refuse(found, "two sizes from 1 to " + std::to_string(kLargestSize));
    }
    return found;
  }

  void check(const std::string& name, const Shape& expected) {
    const TensorView& found = tensor(name);
    if (withoutLeadingOnes(found.shape) != withoutLeadingOnes(expected)) {
      refuse(found, shapeText(expected));
    }
    known_.insert(found.name);
  }

  void checkNorm(const std::string& name, std::int64_t depth) {
    check(name + ".weight", {depth});
    check(name + ".bias", {depth});
  }

  void checkBlock(std::size_t number, std::int64_t depth, std::int64_t hidden) {
    const std::string block = std::string(kBlocks) + std::to_string(number) + ".";
    checkNorm(block + "ln1", depth);
    checkNorm(block + "ln2", depth);
    for (const char* name : {"att.time_decay", "att.time_first"}) check(block + name, {depth});
    for (const char* name : {"att.time_mix_k",
                             "att.time_mix_v",
                             "att.time_mix_r",
                             "ffn.time_mix_k",
                             "ffn.time_mix_r"}) {
      check(block + name, {1, 1, depth});
    }
    for (const char* name :
         {"att.key", "att.value", "att.receptance", "att.output", "ffn.receptance"}) {
      check(block + name + ".weight", {depth, depth});
    }
    check(block + "ffn.key.weight", {hidden, depth});
    check(block + "ffn.value.weight", {depth, hidden});
  }

  void refuseOthers() const {
    for (const TensorView& each : file_.tensors) {
      if (known_.contains(each.name)) continue;
      throw Error(
          place_, "has the tensor " + each.name + ", which an RWKV-4 network does not have", kHint);
    }
  }

  const SafeTensors& file_;
  const std::string& place_;
  std::map<std::string_view, const TensorView*> tensors_;
  std::set<std::string_view> known_;
};

}  // namespace

std::optional<Architecture> rwkvNetworkIn(const SafeTensors& file,
                                          int length,
                                          const std::string& place) {
  if (std::ranges::none_of(file.tensors, isOfTimeMixing)) return std::nullopt;
  return RwkvReader(file, place).read(length);
}

}  // namespace lambda
