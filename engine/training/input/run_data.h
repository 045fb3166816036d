#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/data/augmentation/mixing.h"
#include "engine/data/batches.h"
#include "engine/data/dataset_cache.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/resolved_config.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Which labels of the training images are used.
enum class TrainingLabels {
  configured,  ///< By labelledPerClass and pseudoLabels of the configuration.
  all,         ///< For a network that is only evaluated; no file of predictions is needed.
};

/// The images of a run, and the batches made of them. Lives on the training thread.
class RunData {
 public:
  /// Loads the training images through `datasets`. Throws Error for missing or damaged data, if
  /// the images, the classes or the batch size do not fit the configuration, and as
  /// labelledImages().
  explicit RunData(const ResolvedConfig& resolved,
                   std::shared_ptr<DatasetCache> datasets = std::make_shared<DatasetCache>(),
                   TrainingLabels labels = TrainingLabels::configured);

  /// Uses training images that are already loaded.
  RunData(const ResolvedConfig& resolved,
          std::shared_ptr<const Dataset> data,
          std::shared_ptr<DatasetCache> datasets,
          TrainingLabels labels = TrainingLabels::configured);

  int batchesPerEpoch() const { return static_cast<int>(order_.batchesPerEpoch()); }

  std::int64_t trainingImages() const { return static_cast<std::int64_t>(train_->count()); }

  /// The images that are trained on, with the labels that the training uses.
  const LabeledImages& train() const { return *train_; }

  /// How many images are labelled, pseudo-labelled and left out; empty if all labels are used.
  const std::string& labelSummary() const { return labelSummary_; }

  /// What was changed in images as they were read; empty = nothing.
  const std::string& imageChanges() const { return data_->changes; }

  /// The training batch at a position, both counted from 0: augmented, and mixed if the run mixes
  /// images.
  TensorBatch batch(int epoch, int batch);

  /// A fixed stratified sample of at most 2,500 training images, scored at the end of every epoch.
  const LabeledImages& trainSample() const { return trainSample_; }

  const LabeledImages& validation() const { return data_->validation; }

  /// The test images, loaded at the first call. Throws Error if they can't be loaded.
  const LabeledImages& test();

  const std::vector<std::string>& classNames() const { return data_->train.classNames; }

  NetworkInput networkInput() const { return {data_->normalization, data_->train.classNames}; }

  /// The images of a split with the labels of the data; for training also those that are not
  /// trained on. Throws Error where the test set can't be loaded.
  const LabeledImages& images(Split split);

  const BatchMaker& maker() const { return maker_; }

 private:
  RunData(const RunConfig& config,
          const at::Device& device,
          std::shared_ptr<const Dataset> data,
          std::shared_ptr<DatasetCache> datasets,
          TrainingLabels labels);

  DataConfig config_;
  std::shared_ptr<DatasetCache> datasets_;
  std::shared_ptr<const Dataset> data_;
  std::string labelSummary_;
  std::shared_ptr<const LabeledImages> train_;  // All of data_, or those that a training may use.
  LabeledImages trainSample_;
  BatchOrder order_;
  BatchMixer mixer_;
  BatchMaker maker_;
  std::shared_ptr<const LabeledImages> test_;  // Null before the first call of test().
};

}  // namespace lambda
