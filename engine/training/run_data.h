#pragma once

#include <optional>

#include "engine/data/batches.h"
#include "engine/data/dataset.h"
#include "engine/training/batch_maker.h"
#include "engine/values/inspection.h"
#include "engine/values/run_config.h"

namespace lambda {

/// The images of a run and the ways to its batches. Lives on the training thread.
class RunData {
 public:
  /// Loads the training images. Throws Error for missing or damaged data, and where the images, the
  /// classes or the batch size do not fit the configuration.
  RunData(const RunConfig& config, const at::Device& device);

  int batchesPerEpoch() const { return static_cast<int>(order_.batchesPerEpoch()); }

  std::int64_t trainingImages() const { return static_cast<std::int64_t>(data_.train.count()); }

  /// The augmented batch at a position.
  TensorBatch batch(int epoch, int batch);

  /// A fixed stratified part of the training images, scored beside the validation images.
  const LabeledImages& trainSample() const { return trainSample_; }

  const LabeledImages& validation() const { return data_.validation; }

  /// The test images, loaded at the first call. Throws Error.
  const LabeledImages& test();

  /// The images of a split. Throws Error where the test set can't be loaded.
  const LabeledImages& images(Split split);

  const BatchMaker& maker() const { return maker_; }

 private:
  DataConfig config_;
  Dataset data_;
  LabeledImages trainSample_;
  BatchOrder order_;
  BatchMaker maker_;
  std::optional<LabeledImages> test_;
};

}  // namespace lambda
