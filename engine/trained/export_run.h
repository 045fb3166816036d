#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/observer.h"
#include "engine/runs/run_export.h"
#include "engine/runtime/run_control.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// An export of a run, a checkpoint or exported weights. What a kind of export has no use for is
/// ignored.
struct ExportJob {
  std::filesystem::path run;
  RunExport what = RunExport::weights;
  std::filesystem::path out;  ///< A file; for PyTorch and images as PNG files a folder.
  WeightsChoice weights = WeightsChoice::evaluated;
  std::optional<std::string> license = std::nullopt;  ///< None = that of the run's record.
  std::optional<Split> split = std::nullopt;  ///< None = test for predictions, train for images.
  std::optional<int> augmentedInEpoch =
      std::nullopt;                                ///< Of training images, from 1; none = as is.
  std::optional<std::string> data = std::nullopt;  ///< Where the data is, if it has moved.
};

/// What an export wrote.
struct ExportReport {
  std::vector<std::filesystem::path> files;
  std::uint64_t bytes = 0;
  std::optional<std::filesystem::path> checkpoint = std::nullopt;  ///< Of weights and predictions.
  std::int64_t tensors = 0;
  std::int64_t values = 0;       ///< In all tensors.
  bool averaged = false;         ///< The weights are the run's moving average.
  std::int64_t images = 0;       ///< That were written or classified.
  std::int64_t mixedImages = 0;  ///< Of written ones, those that mixup or CutMix mixes.
  Split split = Split::test;
  std::optional<Scores> scores = std::nullopt;  ///< Of predictions.
  std::string otherData = {};                   ///< Of predictions, as in Evaluation.
  std::string dataPlace = {};                   ///< Likewise.
  bool isDataCompared = true;                   ///< Likewise.
  std::vector<std::string> remarks =
      {};                  ///< What is missing, because files of the run are damaged.
  bool isVerified = true;  ///< False if predictions were made by weights without a digest.
};

/// Writes an export. Progress is reported as that of an evaluation. Returns nothing if the control
/// asked to stop; nothing was written then. Throws Error for what can't be read or written, and for
/// an `out` that is a file of a run.
std::optional<ExportReport> exportRun(const ExportJob& job,
                                      RunControl& control,
                                      Observer& observer);

}  // namespace lambda
