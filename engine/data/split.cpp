#include "engine/data/split.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::uint64_t kSplitStream = 0x73706C6974;  // Separates it from other uses of the seed.
constexpr std::uint64_t kLabelledStream = 0x6C6162656C;

// The number of validation images of each class: v n_c / N, rounded down, plus one for the classes
// with the largest remainders until the sum is v.
std::vector<std::size_t> quotas(const std::vector<std::vector<std::uint32_t>>& byLabel,
                                std::size_t total,
                                std::size_t wanted) {
  std::vector<std::size_t> quota(byLabel.size());
  std::vector<std::size_t> remainder(byLabel.size());
  std::size_t found = 0;
  for (std::size_t label = 0; label < byLabel.size(); ++label) {
    quota[label] = wanted * byLabel[label].size() / total;
    remainder[label] = wanted * byLabel[label].size() % total;
    found += quota[label];
  }
  std::vector<std::size_t> order(byLabel.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return remainder[a] > remainder[b];
  });
  for (std::size_t i = 0; found < wanted; ++i, ++found) ++quota[order[i]];
  return quota;
}

}  // namespace

IndexSplit stratifiedSplit(std::span<const std::uint16_t> labels,
                           int validationCount,
                           std::uint64_t seed) {
  if (validationCount < 0 || static_cast<std::size_t>(validationCount) >= labels.size()) {
    throw Error("data.validationCount",
                "cannot keep " + std::to_string(validationCount) + " of " +
                    std::to_string(labels.size()) + " training images for validation",
                "Choose a number from 0 to one less than the number of images.");
  }
  std::vector<std::vector<std::uint32_t>> byLabel(std::size_t{1} +
                                                  *std::ranges::max_element(labels));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    byLabel[labels[i]].push_back(static_cast<std::uint32_t>(i));
  }
  const auto quota = quotas(byLabel, labels.size(), static_cast<std::size_t>(validationCount));

  IndexSplit split;
  for (std::size_t label = 0; label < byLabel.size(); ++label) {
    std::vector<std::uint32_t>& members = byLabel[label];
    KeyedRandom({kSplitStream, seed, label}).shuffle(members);
    const auto cut = members.begin() + static_cast<std::ptrdiff_t>(quota[label]);
    split.validation.insert(split.validation.end(), members.begin(), cut);
    split.train.insert(split.train.end(), cut, members.end());
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.validation.begin(), split.validation.end());
  return split;
}

IndexSplit splitOf(const LabeledImages& images, int validationCount, std::uint64_t seed) {
  if (images.numberNames.empty()) return stratifiedSplit(images.labels, validationCount, seed);
  return stratifiedSplit(std::vector<std::uint16_t>(images.count()), validationCount, seed);
}

std::vector<std::uint32_t> drawLabelled(std::span<const std::uint16_t> labels,
                                        const std::vector<std::string>& classNames,
                                        int perClass,
                                        std::uint64_t seed) {
  // The order is drawn without the labels, so that those of the images behind the last drawn one
  // have no influence.
  std::vector<std::uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  KeyedRandom({kLabelledStream, seed}).shuffle(order);
  std::vector<int> found(classNames.size());
  std::vector<std::uint32_t> drawn;
  for (const std::uint32_t index : order) {
    int& count = found[labels[index]];
    if (count == perClass) continue;
    ++count;
    drawn.push_back(index);
  }
  for (std::size_t label = 0; label < found.size(); ++label) {
    if (found[label] == perClass) continue;
    throw Error("data.labelledPerClass",
                "the class " + terminalText(classNames[label]) + " has only " +
                    std::to_string(found[label]) + " training images, fewer than " +
                    std::to_string(perClass),
                "Choose a number that every class has, or 0 to use all labels.");
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace lambda
