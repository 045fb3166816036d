#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/data/dataset_cache.h"
#include "engine/training/input/network_images.h"
#include "engine/training/resolved_config.h"
#include "engine/values/run/checkpoint_header.h"

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

  const std::vector<std::string>& classNames() const override { return input_.classNames; }

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

/// The configuration of the network in a checkpoint with the data set at a place instead of its
/// own. Pictures of a folder get the size of the network's input. A data set that is not that of
/// the run validates with its own validation split where it has one. Throws Error as
/// recognizeDataSource(), and for such a data set as loadDataset().
RunConfig withData(RunConfig config,
                   const std::string& place,
                   const std::filesystem::path& checkpoint);

/// The place of the data, where a split of it is not the one that the run of a checkpoint has:
/// another data set, or one that has changed. Empty where it is the run's. They are compared by the
/// digests in the run's record, outside of a run by those in the checkpoint, at another place also
/// those of the training images; where none is known, data at another place is the run's if its
/// training images have the run's mean and deviation.
std::string otherDataOf(const std::filesystem::path& checkpoint,
                        const CheckpointHeader& header,
                        const RunConfig& config,
                        EvaluationData& data,
                        Split split);

/// Whether otherDataOf() has a digest to compare a split with. Without one, data at the place of
/// the run's is taken for it.
bool isDigestKnown(const std::filesystem::path& checkpoint,
                   const CheckpointHeader& header,
                   Split split);

}  // namespace lambda
