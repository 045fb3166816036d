#pragma once

#include <memory>
#include <string>

#include "engine/data/dataset_cache.h"
#include "engine/training/input/examples.h"
#include "engine/training/resolved_config.h"
#include "engine/values/run/network_input.h"

namespace lambda {

class RunData;

/// The part of every training batch that one of many processes gets.
struct BatchPart {
  /// Consecutive examples of a batch.
  struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;  ///< At least 1.
    double share = 1;        ///< Of the examples of the batch.
  };

  int rank = 0;
  int ranks = 1;

  bool isWhole() const { return ranks == 1; }

  /// The part of a batch of `examples`. One of fewer examples than processes gives some of them an
  /// example of others, with a share of 0.
  Range of(std::int64_t examples) const;
};

/// The examples of a run, images or sequences, and the batches made of them, which are functions of
/// the seed and of the position of the training. Lives on the training thread.
class TrainingData {
 public:
  virtual ~TrainingData() = default;

  virtual int batchesPerEpoch() const = 0;

  /// Examples in the first batches of an epoch.
  virtual std::int64_t examplesIn(int batches) const = 0;

  /// The examples that an epoch is made of.
  virtual std::int64_t trainingExamples() const = 0;

  /// Digest of the data for training and validation.
  virtual const std::string& digest() const = 0;

  /// How many images are labelled, pseudo-labelled and left out; empty if all labels are used.
  virtual std::string labelSummary() const { return {}; }

  /// What was changed in the data as it was read, or left out; empty = nothing.
  virtual std::string changes() const { return {}; }

  /// The training batch at a position, both counted from 0, or its part if one was chosen.
  virtual TensorBatch batch(int epoch, int batch) = 0;

  /// From now on batch() gives this part. All counts remain those of whole batches.
  void choosePart(const BatchPart& part) { part_ = part; }

  /// A fixed sample of the training examples, scored at the end of every epoch.
  virtual const Examples& trainSample() const = 0;

  virtual const Examples& validation() const = 0;

  /// The test examples, loaded at the first call. Throws Error if they can't be loaded.
  virtual const Examples& test() = 0;

  /// What the network needs to know of the data, besides its weights.
  virtual const NetworkInput& input() const = 0;

  /// The data as images; null for sequences.
  virtual RunData* asImages() { return nullptr; }

  /// Whether random pixels stand in for data that can't be read.
  virtual bool areSynthetic() const { return false; }

 protected:
  const BatchPart& part() const { return part_; }

 private:
  BatchPart part_;
};

/// The data of a run. `input`: of a network that is trained further: images are normalised by it
/// and get its classes, as matchLabels() says; where it is not known, it is measured on the images.
/// Throws Error for missing or damaged data, if the examples, the classes or the batch size do not
/// fit the configuration, and as imagesWithLabels().
std::unique_ptr<TrainingData> trainingDataOf(
    const ResolvedConfig& resolved,
    const NetworkInput& input = {},
    std::shared_ptr<DatasetCache> datasets = std::make_shared<DatasetCache>());

}  // namespace lambda
