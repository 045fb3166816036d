#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// Shares data sets between readers, so that each is loaded only once. It does not keep them alive:
/// a data set that its last reader has released is read again for the next. Thread-safe; a second
/// reader of a data set waits until the first has loaded it.
class DatasetCache {
 public:
  /// As loadDataset(). Configurations that differ only in their augmentation and in the labels
  /// they use share a data set.
  std::shared_ptr<const Dataset> training(const DataConfig& config);

  /// As loadTest().
  std::shared_ptr<const LabeledImages> test(const DataConfig& config);

 private:
  template <class Images>
  struct Entry {
    DataConfig config;
    std::weak_ptr<const Images> images;
  };

  std::mutex mutex_;
  std::vector<Entry<Dataset>> training_;
  std::vector<Entry<LabeledImages>> test_;
};

}  // namespace lambda
