#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/data/augmentation/mixing.h"
#include "engine/data/batches.h"
#include "engine/data/dataset_cache.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/resolved_config.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Where the training images come from.
enum class ImageOrigin {
  dataset,    ///< The configuration's data; its labelledPerClass and pseudoLabels say which labels
              ///< count.
  synthetic,  ///< Random pixels in their place, all of whose labels are used.
};

/// The images of a run, and the batches made of them. Lives on the training thread.
class RunData : public NetworkImages {
 public:
  /// Loads the training images through `datasets`. `input`: of a network that is trained further:
  /// the images are normalised by it and get its classes, as matchLabels() says; where it is not
  /// known, it is measured on the images. Throws Error for missing or damaged data, if the images,
  /// the classes or the batch size do not fit the configuration, and as imagesWithLabels().
  explicit RunData(const ResolvedConfig& resolved,
                   const NetworkInput& input = {},
                   std::shared_ptr<DatasetCache> datasets = std::make_shared<DatasetCache>());

  /// Uses training images that are already loaded.
  RunData(const ResolvedConfig& resolved,
          std::shared_ptr<const Dataset> data,
          std::shared_ptr<DatasetCache> datasets,
          ImageOrigin origin = ImageOrigin::dataset);

  int batchesPerEpoch() const { return static_cast<int>(order_.epoch().batches); }

  bool areSynthetic() const { return origin_ == ImageOrigin::synthetic; }

  /// Images in the first batches of an epoch.
  std::int64_t imagesIn(int batches) const;

  std::int64_t trainingImages() const { return static_cast<std::int64_t>(train_->count()); }

  /// Dataset::sha256 of the images.
  const std::string& digest() const { return data_->sha256; }

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

  const NetworkInput& input() const override { return input_; }

  /// Those for training include the ones that are not trained on.
  const LabeledImages& images(Split split) override;

  const BatchMaker& maker() const override { return maker_; }

 private:
  RunData(const RunConfig& config,
          const at::Device& device,
          std::shared_ptr<const Dataset> data,
          std::shared_ptr<DatasetCache> datasets,
          ImageOrigin origin);

  DataConfig config_;
  int batchSize_;
  ImageOrigin origin_;
  std::shared_ptr<DatasetCache> datasets_;
  std::shared_ptr<const Dataset> data_;
  NetworkInput input_;
  std::string labelSummary_;
  std::shared_ptr<const LabeledImages> train_;  // All of data_, or those that a training may use.
  LabeledImages trainSample_;
  BatchOrder order_;
  BatchMixer mixer_;
  BatchMaker maker_;
  std::shared_ptr<const LabeledImages> test_;  // Null before the first call of test().
};

}  // namespace lambda
