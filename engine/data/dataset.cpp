#include "engine/data/dataset.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <span>
#include <thread>
#include <utility>

#include "engine/data/sources/data_sources.h"
#include "engine/data/split.h"
#include "engine/formats/files/sha256.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr std::size_t kPieceBytes = 8 << 20;  ///< Of the pixels, which threads read piece by piece.

/// The digest of each piece of the bytes.
std::vector<std::string> digestsOfPieces(std::span<const std::uint8_t> bytes) {
  std::vector<std::string> digests((bytes.size() + kPieceBytes - 1) / kPieceBytes);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < digests.size(); i = next++) {
      const std::size_t first = i * kPieceBytes;
      Sha256 digest;
      digest.update(
          std::as_bytes(bytes.subspan(first, std::min(kPieceBytes, bytes.size() - first))));
      digests[i] = digest.hex();
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, digests.size()); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return digests;
}

bool hasNumbersOf(const LabeledImages& images, const NetworkInput& input) {
  return std::ranges::equal(images.numberNames, input.numbers, {}, {}, &NumberScale::name);
}

/// Throws Error unless the images have the numbers of the network, in its order.
void requireNumbers(const LabeledImages& images,
                    const NetworkInput& input,
                    const std::string& place) {
  if (hasNumbersOf(images, input)) return;
  throw Error(
      place,
      "its numbers are not those of the network" +
          differingLists("The data", images.numberNames, "The network", input.outputNames()),
      "Give data with the same numbers in the same order.");
}

/// See matchLabels().
void matchClasses(LabeledImages& images,
                  const std::vector<std::string>& classNames,
                  const std::string& place) {
  if (classNames.empty() || images.classNames == classNames) return;
  std::map<std::string, std::uint16_t> places;
  for (const std::string& name : classNames) {
    places.emplace(name, static_cast<std::uint16_t>(places.size()));
  }
  std::vector<std::uint16_t> labels;
  for (const std::string& name : images.classNames) {
    const auto found = places.find(name);
    if (found == places.end()) break;
    labels.push_back(found->second);
    places.erase(found);
  }
  if (labels.size() != classNames.size() || labels.size() != images.classNames.size()) {
    throw Error(place,
                "its classes are not those of the network" +
                    differingLists("The data", images.classNames, "The network", classNames),
                "Give data with the same names of classes, in any order.");
  }
  for (std::uint16_t& label : images.labels) label = labels[label];
  images.classNames = classNames;
}

}  // namespace

LabeledImages selectImages(const LabeledImages& images, const std::vector<std::uint32_t>& indices) {
  const std::size_t size = static_cast<std::size_t>(images.channels) * images.height * images.width;
  LabeledImages chosen;
  chosen.channels = images.channels;
  chosen.height = images.height;
  chosen.width = images.width;
  chosen.classNames = images.classNames;
  chosen.numberNames = images.numberNames;
  const std::size_t width = images.numberNames.size();
  if (width == 0) chosen.labels.reserve(indices.size());
  chosen.numbers.reserve(indices.size() * width);
  chosen.pixels.reserve(indices.size() * size);
  for (const std::uint32_t index : indices) {
    const auto image = images.pixels.begin() + static_cast<std::ptrdiff_t>(index * size);
    if (width == 0) chosen.labels.push_back(images.labels[index]);
    const auto numbers = images.numbers.begin() + static_cast<std::ptrdiff_t>(index * width);
    chosen.numbers.insert(
        chosen.numbers.end(), numbers, numbers + static_cast<std::ptrdiff_t>(width));
    chosen.pixels.insert(chosen.pixels.end(), image, image + static_cast<std::ptrdiff_t>(size));
  }
  return chosen;
}

Dataset loadDataset(const DataConfig& config) {
  TrainingImages all = readTrainingImages(config.source);
  Dataset dataset;
  dataset.changes = std::move(all.changes);
  dataset.sha256 = digestOf(all.train);
  if (all.validation.count() > 0) {
    dataset.sha256 = sha256Hex(dataset.sha256 + digestOf(all.validation));
    dataset.train = std::move(all.train);
    dataset.validation = std::move(all.validation);
  } else {
    const IndexSplit split = splitOf(all.train, config.validationCount, config.splitSeed);
    dataset.train = selectImages(all.train, split.train);
    dataset.validation = selectImages(all.train, split.validation);
  }
  dataset.normalization = measureNormalization(dataset.train);
  dataset.numbers = measureNumbers(dataset.train);
  return dataset;
}

DataConfig withFittingSplit(DataConfig config) {
  if (dropMissingValidation(config.source)) config.validationCount = 0;
  if (config.validationCount >= probeDataset(config.source).trainCount) config.validationCount = 0;
  return config;
}

LabeledImages loadTest(const DataConfig& config) {
  DataSource source = config.source;
  dropMissingValidation(source);
  return readTestImages(source);
}

std::string digestOf(const LabeledImages& images) {
  // Each text is preceded by its length, so that no two data sets give the same bytes.
  std::string header = "lambda images 1\n" + std::to_string(images.channels) + " " +
                       std::to_string(images.height) + " " + std::to_string(images.width) + " " +
                       std::to_string(images.count()) + "\n";
  for (const auto& names : {images.classNames, images.numberNames}) {
    for (const std::string& name : names) header += std::to_string(name.size()) + " " + name + "\n";
  }
  Sha256 digest;
  digest.update(header);
  digest.update(std::as_bytes(std::span(images.labels)));
  digest.update(std::as_bytes(std::span(images.numbers)));
  for (const std::string& piece : digestsOfPieces(images.pixels)) digest.update(piece);
  return digest.hex();
}

std::optional<MajorityClass> majorityOf(const LabeledImages& images) {
  if (images.labels.empty()) return std::nullopt;
  std::vector<std::size_t> counts(images.classNames.size());
  for (const std::uint16_t label : images.labels) ++counts[label];
  const auto most = std::ranges::max_element(counts);
  return MajorityClass{images.classNames[static_cast<std::size_t>(most - counts.begin())],
                       static_cast<double>(*most) / static_cast<double>(images.count())};
}

NetworkInput inputOf(const Dataset& dataset) {
  return {dataset.normalization, dataset.train.classNames, dataset.numbers};
}

bool fits(const LabeledImages& images, const NetworkInput& input) {
  return images.classNames == input.classNames && hasNumbersOf(images, input);
}

void matchLabels(LabeledImages& images, const NetworkInput& input, const std::string& place) {
  if (images.count() == 0) return;
  if (input.isKnown()) requireNumbers(images, input, place);
  matchClasses(images, input.classNames, place);
}

}  // namespace lambda
