#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/values/run_config.h"

namespace lambda {

/// Data sets that several readers hold at once, each loaded one time. It keeps nothing alive: what
/// its last reader lets go is read again by the next. Thread-safe; a second reader of a data set
/// waits until the first has loaded it.
class DatasetCache {
 public:
  /// As loadDataset(). Configurations that differ in their augmentation alone share a data set.
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
