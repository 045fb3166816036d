#include "engine/data/dataset.h"

#include <cstddef>
#include <utility>

#include "engine/data/sources/data_sources.h"
#include "engine/data/split.h"

namespace lambda {

LabeledImages selectImages(const LabeledImages& images, const std::vector<std::uint32_t>& indices) {
  const std::size_t size = static_cast<std::size_t>(images.channels) * images.height * images.width;
  LabeledImages chosen;
  chosen.channels = images.channels;
  chosen.height = images.height;
  chosen.width = images.width;
  chosen.classNames = images.classNames;
  chosen.labels.reserve(indices.size());
  chosen.pixels.reserve(indices.size() * size);
  for (const std::uint32_t index : indices) {
    const auto image = images.pixels.begin() + static_cast<std::ptrdiff_t>(index * size);
    chosen.labels.push_back(images.labels[index]);
    chosen.pixels.insert(chosen.pixels.end(), image, image + static_cast<std::ptrdiff_t>(size));
  }
  return chosen;
}

Dataset loadDataset(const DataConfig& config) {
  TrainingImages all = readTrainingImages(config.source);
  Dataset dataset;
  dataset.changes = std::move(all.changes);
  if (all.validation.count() > 0) {
    dataset.train = std::move(all.train);
    dataset.validation = std::move(all.validation);
  } else {
    const IndexSplit split =
        stratifiedSplit(all.train.labels, config.validationCount, config.splitSeed);
    dataset.train = selectImages(all.train, split.train);
    dataset.validation = selectImages(all.train, split.validation);
  }
  dataset.normalization = measureNormalization(dataset.train);
  return dataset;
}

LabeledImages loadTest(const DataConfig& config) {
  return readTestImages(config.source);
}

}  // namespace lambda
