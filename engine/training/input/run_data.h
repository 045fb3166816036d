#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/augmentation/mixing.h"
#include "engine/data/batches.h"
#include "engine/training/input/training_data.h"

namespace lambda {

/// Where the training images come from.
enum class ImageOrigin {
  dataset,    ///< The configuration's data; its labelledPerClass and pseudoLabels say which labels
              ///< count.
  synthetic,  ///< Random pixels in their place, all of whose labels are used.
};

/// The images of a run, and the batches made of them. Lives on the training thread.
class RunData : public TrainingData, public NetworkImages {
 public:
  /// Loads the training images through `datasets`. The rest as trainingDataOf().
  explicit RunData(const ResolvedConfig& resolved,
                   const NetworkInput& input = {},
                   std::shared_ptr<DatasetCache> datasets = std::make_shared<DatasetCache>());

  /// Uses training images that are already loaded.
  RunData(const ResolvedConfig& resolved,
          std::shared_ptr<const Dataset> data,
          std::shared_ptr<DatasetCache> datasets,
          ImageOrigin origin = ImageOrigin::dataset);

  RunData(const RunData&) = delete;
  RunData& operator=(const RunData&) = delete;

  int batchesPerEpoch() const override { return static_cast<int>(order_.epoch().batches); }

  bool areSynthetic() const override { return origin_ == ImageOrigin::synthetic; }

  std::int64_t examplesIn(int batches) const override;

  std::int64_t trainingExamples() const override {
    return static_cast<std::int64_t>(train_->count());
  }

  /// Dataset::sha256 of the images.
  const std::string& digest() const override { return data_->sha256; }

  /// The images that are trained on, with the labels that the training uses.
  const LabeledImages& train() const { return *train_; }

  std::string labelSummary() const override { return labelSummary_; }

  std::string changes() const override { return data_->changes; }

  /// Augmented, and mixed if the run mixes images.
  TensorBatch batch(int epoch, int batch) override;

  /// A stratified sample of at most 2,500 images.
  const Examples& trainSample() const override { return sampleExamples_; }

  const Examples& validation() const override { return validationExamples_; }

  const Examples& test() override;

  RunData* asImages() override { return this; }

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

  const LabeledImages& testImages();
  TensorBatch mixedPart(std::span<const std::uint32_t> indices,
                        const BatchPart::Range& range,
                        MixingDraw draw,
                        int epoch) const;

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
  ImageExamples sampleExamples_;
  ImageExamples validationExamples_;
  std::shared_ptr<const LabeledImages> test_;  // Null before the first call of test().
  std::optional<ImageExamples> testExamples_;
};

/// The data as images. Throws Error if they are sequences.
RunData& imagesOf(TrainingData& data);

}  // namespace lambda
