#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/sequences/sequence_data.h"
#include "engine/training/input/training_data.h"

namespace lambda {

/// Sequences of a split.
class SequenceExamples : public Examples {
 public:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  /// `most`: that many of them, spread evenly over the split, where it has more.
  SequenceExamples(std::shared_ptr<const SequenceData> data,
                   Split split,
                   Precision precision,
                   const at::Device& device,
                   std::int64_t most = kAll);

  std::int64_t count() const override { return count_; }

  TensorBatch batch(std::int64_t first, std::int64_t count) const override;

  std::int64_t together() const override;

  Precision precision() const override { return precision_; }

  std::string digest() const override { return data_->digest(); }

 private:
  std::shared_ptr<const SequenceData> data_;
  Split split_;
  std::int64_t count_;
  std::int64_t apart_;  // From one of them to the next, in sequences of the split.
  Precision precision_;
  at::Device device_;
};

/// The sequences of a configuration. Throws Error for missing or damaged data, and if they do not
/// fit the network.
std::shared_ptr<const SequenceData> sequencesFor(const RunConfig& config);

/// The sequences of a run. An epoch is as many as the training split has; those of a text are drawn
/// from all its places, those that are drawn are new ones in every step.
class SequenceRunData : public TrainingData {
 public:
  /// Throws Error as sequencesFor(), and if there are fewer than a batch.
  explicit SequenceRunData(const ResolvedConfig& resolved);

  int batchesPerEpoch() const override;

  std::int64_t examplesIn(int batches) const override { return std::int64_t{batches} * batchSize_; }

  std::int64_t trainingExamples() const override {
    return static_cast<std::int64_t>(data_->count(Split::train));
  }

  const std::string& digest() const override { return digest_; }

  std::string changes() const override;

  TensorBatch batch(int epoch, int batch) override;

  const Examples& trainSample() const override { return train_; }

  const Examples& validation() const override { return validation_; }

  const Examples& test() override { return test_; }

  const NetworkInput& input() const override { return input_; }

 private:
  std::uint64_t seed_;
  int batchSize_;
  at::Device device_;
  std::shared_ptr<const SequenceData> data_;
  std::string digest_;
  NetworkInput input_;
  SequenceExamples train_;
  SequenceExamples validation_;
  SequenceExamples test_;
};

}  // namespace lambda
