#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/token_inspection.h"
#include "engine/values/run/checkpoint_header.h"
#include "engine/values/run/predictions.h"

namespace lambda {

class DatasetCache;

struct InspectorOptions {
  std::optional<std::string> data = std::nullopt;  ///< Path of the data; none = as recorded.
  int threads = 0;  ///< For tensor work; 0 = as configured for the run. Choose few while training.
  /// Shared by inspectors, so that two checkpoints side by side read their data once; null = the
  /// inspector reads the data itself.
  std::shared_ptr<DatasetCache> datasets = nullptr;
};

/// Answers many inspection requests about one checkpoint. The network is loaded once; the data set
/// is loaded at the first request for one of its images, and kept. The weights are the averaged
/// ones if the run kept them. Everything is computed on the CPU. Further requests about the same
/// image and layer skip the network's forward pass, whatever their pixel. Lives on any one thread,
/// and does not disturb a training on another.
class CheckpointInspector {
 public:
  /// `run`: a checkpoint file, or a run folder, which stands for its best checkpoint, or for its
  /// last one if there is no best. Throws Error if it can't be read.
  explicit CheckpointInspector(const std::filesystem::path& run,
                               const InspectorOptions& options = {});
  ~CheckpointInspector();
  CheckpointInspector(CheckpointInspector&&) noexcept;
  CheckpointInspector& operator=(CheckpointInspector&&) noexcept;

  const CheckpointHeader& header() const;

  /// The checkpoint file.
  const std::filesystem::path& checkpoint() const;

  /// Inspects a layer. Throws Error for an unknown layer, pixel or image, a picture of another size
  /// than the network's input, or data that can't be read; a picture needs the data only if the
  /// run is of an earlier version, which did not record its normalisation.
  InspectionSnapshot inspect(const InspectionRequest& request);

  /// Inspects a layer of a network of tokens with a sequence. Throws Error for an unknown layer,
  /// position or sequence, for tokens that the network can't take, and for data that can't be read,
  /// which the user's own tokens do not need. Further requests about other positions of the same
  /// sequence skip the network's forward pass.
  TokenSnapshot inspectTokens(const TokenInspectionRequest& request);

  /// Classifies every image of a split as evaluateRun() does, with the run's precision. `progress`
  /// is called before every batch and at the end; if it returns false, the result is empty.
  /// Classifying the whole test split is an evaluation, which is stored with the run as
  /// evaluateRun() does. Throws Error if the data can't be read or the split has no images.
  std::optional<Predictions> predict(
      Split split, const std::function<bool(std::int64_t done, std::int64_t total)>& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lambda
