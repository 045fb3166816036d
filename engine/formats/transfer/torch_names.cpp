#include "engine/formats/transfer/torch_names.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>

namespace lambda {

namespace {

struct NamePair {
  std::string_view ours;
  std::string_view theirs;
};

// Parts that the network has once.
constexpr std::array<NamePair, 16> kOnce = {{
    {"stem.conv.", "conv1."},
    {"stem.norm.", "bn1."},
    {"stem.conv1.conv.", "conv1.0."},
    {"stem.conv1.norm.", "conv1.1."},
    {"stem.conv2.conv.", "conv1.3."},
    {"stem.conv2.norm.", "conv1.4."},
    {"stem.conv3.conv.", "conv1.6."},
    {"stem.conv3.norm.", "bn1."},
    {"stem.conv4.conv.", "maxpool.0."},
    {"stem.conv4.norm.", "maxpool.1."},
    {"head.", "fc."},
    {"head.", "head.fc."},
    {"head.", "classifier."},
    {"stem.weight", "emb.weight"},
    {"stemNorm.", "blocks.0.ln0."},
    {"headNorm.", "ln_out."},
}};

// Parts of a bottleneck; the convolution of a shortcut comes after pooling in ResNet-D.
constexpr std::array<NamePair, 12> kBottleneck = {{
    {"reduce.conv.", "conv1."},
    {"reduce.norm.", "bn1."},
    {"mixer.conv.", "conv2."},
    {"mixer.norm.", "bn2."},
    {"expand.conv.", "conv3."},
    {"expand.norm.", "bn3."},
    {"squeeze.squeeze.", "se.fc1."},
    {"squeeze.excite.", "se.fc2."},
    {"shortcut.conv.", "downsample.0."},
    {"shortcut.conv.", "downsample.1."},
    {"shortcut.norm.", "downsample.2."},
    {"shortcut.norm.", "downsample.1."},
}};

// Parts of a basic block that a bottleneck has not; its mixer and shortcut are named alike.
constexpr std::array<NamePair, 2> kBasic = {{{"conv.conv.", "conv1."}, {"conv.norm.", "bn1."}}};

// Parts of a block of RWKV-4.
constexpr std::array<NamePair, 4> kRwkv = {{
    {"mixerNorm.", "ln1."},
    {"mixer.layer.", "att."},
    {"channelNorm.", "ln2."},
    {"channels.", "ffn."},
}};

template <std::size_t n>
void append(std::vector<std::string>& names,
            const std::array<NamePair, n>& pairs,
            std::string_view prefix,
            std::string_view name) {
  for (const NamePair& pair : pairs) {
    if (!name.starts_with(pair.ours)) continue;
    std::string theirs(prefix);
    theirs += pair.theirs;
    theirs += name.substr(pair.ours.size());
    names.push_back(std::move(theirs));
  }
}

/// Takes `word` and the number after it, up to a point, off the front of `name`.
std::optional<int> takeNumbered(std::string_view& name, std::string_view word) {
  if (!name.starts_with(word)) return std::nullopt;
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::string digits(name.substr(word.size(), point - word.size()));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  name.remove_prefix(point + 1);
  return std::atoi(digits.c_str());
}

}  // namespace

std::vector<std::string> torchNamesOf(std::string_view name) {
  std::vector<std::string> names = {std::string(name)};
  append(names, kOnce, "", name);
  std::string_view rest = name;
  const std::optional<int> stage = takeNumbered(rest, "stage");
  if (!stage) return names;
  const std::optional<int> block = takeNumbered(rest, "block");
  if (!block) return names;
  const std::string prefix =
      "layer" + std::to_string(*stage) + "." + std::to_string(*block - 1) + ".";
  append(names, kBottleneck, prefix, rest);
  append(names, kBasic, prefix, rest);
  if (*stage == 1) append(names, kRwkv, "blocks." + std::to_string(*block - 1) + ".", rest);
  return names;
}

std::vector<std::string> sharedPrefixes(const std::vector<std::string>& names) {
  std::vector<std::string> prefixes = {""};
  for (bool isShared = true; isShared;) {
    const std::string& last = prefixes.back();
    std::map<std::string_view, std::size_t> counts;
    for (const std::string_view name : names) {
      const std::size_t point = name.find('.', last.size());
      if (name.starts_with(last) && point != std::string_view::npos) {
        ++counts[name.substr(0, point + 1)];
      }
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    isShared = most != counts.end() && 2 * most->second > names.size();
    if (isShared) prefixes.emplace_back(most->first);
  }
  return prefixes;
}

}  // namespace lambda
