#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/data/dataset_cache.h"
#include "engine/training/input/batch_maker.h"
#include "engine/training/resolved_config.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// The images of a data set for a network that is trained already: of the run's own, or of another.
/// They are normalised as those that the network was trained on, and labelled in the order of its
/// classes. Only the split that is asked for is loaded, and what only a training needs is not
/// demanded: any batch size does, and data too small for the run's validation images has none.
class EvaluationData : public NetworkImages {
 public:
  /// `input`: that of the network. Where it is not known, it is measured on the training images,
  /// for which Error may be thrown.
  EvaluationData(const ResolvedConfig& resolved,
                 NetworkInput input,
                 std::shared_ptr<DatasetCache> datasets = std::make_shared<DatasetCache>());

  /// Throws Error where the images can't be loaded, have another shape than the network's input, or
  /// other classes.
  const LabeledImages& images(Split split) override;

  const BatchMaker& maker() const override { return maker_; }

  const NetworkInput& input() const override { return input_; }

  /// digestOf() the test set, or the images for training and validation, as they are stored.
  std::string digestOfPart(Split split);

  /// The mean and deviation of the images that a training would use. Throws Error.
  const Normalization& measuredNormalization() { return training().normalization; }

 private:
  const Dataset& training();
  const LabeledImages& test();

  /// The images with the network's classes, for which they are copied only where these differ.
  const LabeledImages& fitted(const LabeledImages& images, Split split);

  RunConfig config_;
  std::shared_ptr<DatasetCache> datasets_;
  std::shared_ptr<const Dataset> training_;    // Null before it is needed.
  std::shared_ptr<const LabeledImages> test_;  // Likewise.
  std::string testDigest_;                     // Empty before it is needed.
  NetworkInput input_;
  BatchMaker maker_;
  std::map<Split, LabeledImages> fitted_;  // Those with other classes than the data.
};

}  // namespace lambda
