#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/experiment/experiment.h"
#include "engine/values/experiment/sample_summary.h"

namespace lambda {

/// The state of one run of an experiment.
enum class CellState {
  waiting,  ///< Not begun, or interrupted: a worker continues it.
  running,  ///< A worker trains it.
  done,
  failed,  ///< It is repeated on demand only.
  ended,   ///< Its variant ended early (Halving), before all epochs.
};

template <>
inline constexpr EnumNames<5> kNamesOf<CellState>{
    {"waiting", "running", "done", "failed", "ended"}};

/// What a run's metrics say at the end of one epoch.
struct EpochPoint {
  int epoch = 0;  ///< Counted from 1.
  double trainingLoss = 0;
  std::optional<double> validationLoss = std::nullopt;
  std::optional<double> validationScore = std::nullopt;

  bool operator==(const EpochPoint&) const = default;
};

/// One run of an experiment: a variant with a seed.
struct ExperimentCell {
  std::size_t variant = 0;  ///< In ExperimentState::variants.
  std::uint64_t seed = 0;
  CellState state = CellState::waiting;
  std::string runFolder;  ///< Name of its run folder in the experiment's folder runs/.
  bool hasRun = false;    ///< Whether that folder has a record.
  int epochsDone = 0;
  int epochs = 0;
  double trainSeconds = 0;  ///< So far.
  std::string text;         ///< failed, ended: why; running: the machine where its worker is.
  std::vector<std::optional<double>> values;  ///< [measures]; of a run that is done.
  std::int64_t parameters = 0;                ///< Of the network; 0 = not known.
  std::int64_t flops = 0;                     ///< Of the forward pass of one image; 0 = not known.
  double imagesPerSecond = 0;     ///< Training throughput over the whole run; 0 = not known.
  std::vector<EpochPoint> curve;  ///< Ascending by epoch; filled by readCurves().

  bool operator==(const ExperimentCell&) const = default;
};

/// The results of one variant for one measure.
struct VariantResult {
  std::vector<std::optional<double>> values;  ///< [seeds]; nothing where the run is not done.
  SampleSummary summary;
  /// Against the baseline, over the seeds that both have; nothing for the baseline itself.
  std::optional<PairedDifference> difference;
  std::string text;  ///< differenceText(), or "baseline".

  bool operator==(const VariantResult&) const = default;
};

struct MeasureResult {
  Measure measure;
  std::vector<VariantResult> variants;  ///< In the order of ExperimentState::variants.

  bool operator==(const MeasureResult&) const = default;
};

/// An experiment with the states of its runs and the results of those that are done.
struct ExperimentState {
  Experiment experiment;
  std::vector<std::string> variants;
  /// [variants][axes]: JSON texts; a named variant has none.
  std::vector<std::vector<std::string>> axisValues;
  ScoreKind scoredBy = ScoreKind::accuracy;  ///< That of the first variant's task.
  bool hasSeveralNetworks = false;           ///< Whether variants differ in their networks.
  std::size_t baseline = 0;                  ///< In `variants`.
  std::vector<ExperimentCell> cells;         ///< Seed by seed, all variants of each.
  std::vector<MeasureResult> results;
  std::vector<std::string> warnings;  ///< Files that could not be read.

  std::size_t countOf(CellState state) const {
    return static_cast<std::size_t>(std::ranges::count(cells, state, &ExperimentCell::state));
  }

  bool operator==(const ExperimentState&) const = default;
};

}  // namespace lambda
