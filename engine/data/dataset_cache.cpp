#include "engine/data/dataset_cache.h"

#include <algorithm>
#include <utility>

namespace lambda {

namespace {

/// The parts of the configuration that identify a data set.
DataConfig keyOf(DataConfig config) {
  config.augmentation = {};
  config.labelledPerClass = 0;
  config.pseudoLabels.clear();
  config.pseudoLabelsSha256.clear();
  config.pseudoLabelThreshold = 0;
  return config;
}

template <class Entries, class Load>
auto findOrLoad(Entries& entries, const DataConfig& config, Load load) {
  std::erase_if(entries, [](const auto& entry) { return entry.images.expired(); });
  const DataConfig key = keyOf(config);
  for (const auto& entry : entries) {
    if (auto images = entry.images.lock(); images && entry.config == key) return images;
  }
  auto images = load(config);
  entries.push_back({key, images});
  return images;
}

}  // namespace

std::shared_ptr<const Dataset> DatasetCache::training(const DataConfig& config) {
  const std::lock_guard lock(mutex_);
  return findOrLoad(training_, config, [](const DataConfig& wanted) {
    return std::make_shared<const Dataset>(loadDataset(wanted));
  });
}

std::shared_ptr<const LabeledImages> DatasetCache::test(const DataConfig& config) {
  const std::lock_guard lock(mutex_);
  return findOrLoad(test_, config, [](const DataConfig& wanted) {
    return std::make_shared<const LabeledImages>(loadTest(wanted));
  });
}

}  // namespace lambda
