#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/values/checkpoint_header.h"
#include "engine/values/inspection.h"
#include "engine/values/predictions.h"

namespace lambda {

class DatasetCache;

struct InspectorOptions {
  std::optional<std::string> data = std::nullopt;  ///< Where the data lies now; none = as recorded.
  int threads = 0;  ///< For tensor work; 0 = as the run was configured. Small beside a training.
  /// Shared between inspectors, so that two checkpoints side by side read their data once; null =
  /// the inspector reads its own.
  std::shared_ptr<DatasetCache> datasets = nullptr;
};

/// A checkpoint that is looked into again and again: the network is loaded once, the data set at
/// the first request for one of its images and kept. The weights are the averaged ones where the
/// run kept them; computed on the CPU. Answers about one image and layer after the first, at
/// another pixel or not, skip the network's forward pass.
/// Lives on one thread, any one; a training on another is not disturbed.
class CheckpointInspector {
 public:
  /// `run`: a run folder, which stands for its best checkpoint, or its last one where none is best;
  /// or a checkpoint file. Throws Error if it can't be read.
  explicit CheckpointInspector(const std::filesystem::path& run,
                               const InspectorOptions& options = {});
  ~CheckpointInspector();
  CheckpointInspector(CheckpointInspector&&) noexcept;
  CheckpointInspector& operator=(CheckpointInspector&&) noexcept;

  const CheckpointHeader& header() const;

  /// The checkpoint file.
  const std::filesystem::path& checkpoint() const;

  /// Looks into a layer. Throws Error for an unknown layer, pixel or image, a picture of another
  /// size than the network's input, or data that can't be read; a picture needs the data too, for
  /// its normalisation.
  InspectionSnapshot inspect(const InspectionRequest& request);

  /// Classifies every image of a split as evaluateRun() does, with the run's precision. `progress`
  /// is asked before every batch and at the end; none if it says no. Classifying the test split to
  /// its end is an evaluation, which is kept beside the run as evaluateRun() keeps it. Throws Error
  /// if the data can't be read or the split has no images.
  std::optional<Predictions> predict(
      Split split, const std::function<bool(std::int64_t done, std::int64_t total)>& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lambda
