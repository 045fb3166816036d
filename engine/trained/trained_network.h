#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/runs/evaluations.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/trained/evaluation_data.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/sequence_run_data.h"
#include "engine/values/run/metrics.h"

namespace lambda {

struct TrainedOptions {
  std::optional<std::string> data = std::nullopt;     ///< Path of the data; none = as recorded.
  std::optional<DeviceConfig> device = std::nullopt;  ///< None = as configured for the run.
  std::shared_ptr<DatasetCache> datasets = nullptr;   ///< Null = it reads the data itself.
  bool reusesMemory = true;  ///< See TensorMemoryReuse, which concerns the whole process.
};

/// A trained network on its device, and the images for it, which are loaded when they are first
/// asked for. Lives on one thread, which it makes use the device's number of threads.
class TrainedNetwork {
 public:
  /// `run`: a run folder, for its best checkpoint, or for its last one if there is no best; a
  /// checkpoint; or a file of exported weights. Throws Error for one that can't be read or is
  /// damaged, and for a device that is missing.
  explicit TrainedNetwork(const std::filesystem::path& run, const TrainedOptions& options = {});

  /// The file of the weights.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }

  const CheckpointHeader& header() const { return loaded_.header; }

  /// The run's configuration on this machine, with the data of the options once they are loaded.
  const ResolvedConfig& resolved() const { return resolved_; }

  LoadedNetwork& weights() { return loaded_; }

  const LoadedNetwork& weights() const { return loaded_; }

  /// The images for the network. Throws Error where the place of the options has no data, and for a
  /// network that takes sequences.
  EvaluationData& data();

  /// The sequences for the network. Throws Error where the place of the options has none, and for a
  /// network that takes images.
  const std::shared_ptr<const SequenceData>& sequences();

  /// The examples of a split. Throws Error as data(), and where they can't be read.
  const Examples& examples(Split split);

  /// The place of the data, where a split of it is not the one that the network's run has: another
  /// data set, or one that has changed. Empty where it is the run's. They are compared by the
  /// digests in the run's record, outside of a run by those in the checkpoint, at another place
  /// also those of the training images; where none is known, data at another place is the run's if
  /// its training images have the run's mean and deviation.
  std::string otherData(Split split);

  /// Whether otherData() has a digest to compare a split with. Without one, data at the place of
  /// the run's is taken for it.
  bool isDigestKnown(Split split) const;

  /// Stores the scores of a split in the run that the checkpoint belongs to. `other`: otherData().
  KeptEvaluation keep(Split split, const Scores& scores, const std::string& other);

 private:
  std::filesystem::path checkpoint_;
  TrainedOptions options_;
  ResolvedConfig resolved_;
  std::optional<TensorMemoryReuse> reuse_;  // Must outlive the tensors below.
  LoadedNetwork loaded_;
  bool takesSequences() const;
  void usePlaceOfOptions();
  std::string digestOfPart(Split split);

  bool usesPlace_ = false;                         // The configuration has the options' data.
  std::unique_ptr<EvaluationData> data_;           // Null until it is needed.
  std::shared_ptr<const SequenceData> sequences_;  // Likewise.
  std::map<Split, std::unique_ptr<Examples>> examples_;
};

/// The configuration of the network in a checkpoint with the data set at a place instead of its
/// own. Pictures of a folder get the size of the network's input. A data set that is not that of
/// the run validates with its own validation split where it has one. Throws Error as
/// recognizeDataSource(), and for such a data set as loadDataset().
RunConfig withData(RunConfig config,
                   const std::string& place,
                   const std::filesystem::path& checkpoint);

}  // namespace lambda
