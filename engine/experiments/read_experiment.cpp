#include "engine/experiments/read_experiment.h"

#include <algorithm>
#include <limits>

#include "engine/experiments/cell_state.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/halving.h"
#include "engine/experiments/read_curves.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/statistics/sample.h"

namespace lambda {

namespace {

std::optional<double> lowestLoss(const Metrics& metrics) {
  std::optional<double> lowest;
  for (const EpochRecord& epoch : metrics.epochs) {
    if (!epoch.validation) continue;
    lowest =
        std::min(lowest.value_or(std::numeric_limits<double>::infinity()), epoch.validation->loss);
  }
  return lowest;
}

std::optional<double> secondsTo(double score, const Metrics& metrics) {
  for (const EpochRecord& epoch : metrics.epochs) {
    if (epoch.validation && epoch.validation->score >= score) return epoch.seconds;
  }
  return std::nullopt;
}

/// The quantities of a finished run; its metrics are read once, where a measure needs them.
class FinishedRun {
 public:
  FinishedRun(const std::filesystem::path& run, const RunRecord& record)
      : run_(run), record_(record) {}

  std::optional<double> valueOf(const Measure& measure) {
    const QuantityTraits traits = traitsOf(measure.quantity);
    if (traits.scoredBy && *traits.scoredBy != record_.scoredBy) return std::nullopt;
    switch (traits.measured) {
      case Measured::validationScore:
        return record_.bestValidationScore;
      case Measured::testScore:
        return record_.testScore;
      case Measured::validationLoss:
        return lowestLoss(metrics());
      case Measured::testLoss:
        return record_.testLoss;
      case Measured::secondsToScore:
        return secondsTo(measure.target, metrics());
      case Measured::imagesPerSecond:
        return record_.imagesPerSecond;
      case Measured::parameters:
        return static_cast<double>(record_.parameters);
      case Measured::flops:
        return static_cast<double>(record_.flops);
    }
    return std::nullopt;
  }

 private:
  const Metrics& metrics() {
    if (!metrics_) metrics_ = readMetrics(run_ / "metrics.jsonl");
    return *metrics_;
  }

  const std::filesystem::path& run_;
  const RunRecord& record_;
  std::optional<Metrics> metrics_;
};

/// The values of a finished run for all measures. What can't be read becomes a warning.
std::vector<std::optional<double>> valuesOf(const std::filesystem::path& run,
                                            const RunRecord& record,
                                            ExperimentState& state) {
  FinishedRun finished(run, record);
  std::vector<std::optional<double>> values;
  try {
    for (const Measure& measure : state.experiment.measures) {
      values.push_back(finished.valueOf(measure));
    }
  } catch (const Error& error) {
    state.warnings.emplace_back(error.what());
  }
  return values;
}

/// The same run in an earlier reading, if it was done then; a run that was continued since has more
/// epochs.
const ExperimentCell* doneIn(const ExperimentState& before, const ExperimentCell& cell) {
  const auto found = std::ranges::find(before.cells, cell.runFolder, &ExperimentCell::runFolder);
  const bool isSame = found != before.cells.end() && found->state == CellState::done &&
                      found->epochsDone == cell.epochsDone &&
                      found->trainSeconds == cell.trainSeconds;
  return isSame ? &*found : nullptr;
}

VariantResult resultOf(std::vector<std::optional<double>> values,
                       const std::vector<std::optional<double>>* baseline,
                       Quantity quantity) {
  VariantResult result;
  std::vector<double> known;
  std::vector<double> paired;
  std::vector<double> pairs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    known.push_back(*values[i]);
    if (!baseline || !(*baseline)[i]) continue;
    paired.push_back(*values[i]);
    pairs.push_back(*(*baseline)[i]);
  }
  result.values = std::move(values);
  result.summary = summaryOf(known);
  // Student's t knows no limits: an accuracy is not below 0.
  if (auto& interval = result.summary.interval) {
    interval = interval->within(possibleValuesOf(quantity));
  }
  result.text = "baseline";
  if (baseline) {
    result.difference = pairedDifference(paired, pairs);
    result.text = differenceText(quantity, *result.difference);
  }
  return result;
}

/// Finds runs of one data set that were trained on different images.
class DataComparison {
 public:
  explicit DataComparison(const ExperimentPlan& plan) : plan_(plan) {}

  void add(const PlannedRun& run, const CellReading& reading, std::vector<std::string>& warnings) {
    const std::string& digest = reading.record.dataSha256.train;
    if (!reading.cell.hasRun || digest.empty()) return;
    const DataSource& source = plan_.variants[run.variant].config.data.source;
    const auto known = std::ranges::find(first_, source, &First::source);
    if (known == first_.end()) {
      first_.push_back({source, digest, reading.cell.runFolder});
    } else if (known->digest != digest) {
      warnings.push_back(reading.cell.runFolder + " and " + known->run +
                         " were trained on different images or labels: the data has changed");
    }
  }

 private:
  struct First {
    DataSource source;
    std::string digest;
    std::string run;
  };

  const ExperimentPlan& plan_;
  std::vector<First> first_;
};

/// The state without cells.
ExperimentState withVariants(const Experiment& experiment, const ExperimentPlan& plan) {
  ExperimentState state;
  state.experiment = experiment;
  state.baseline = plan.baseline;
  if (!plan.variants.empty()) {
    state.scoredBy = traitsOf(plan.variants.front().config.architecture.task).score;
  }
  for (const PlannedVariant& variant : plan.variants) {
    state.variants.push_back(variant.name);
    state.axisValues.push_back(variant.axisValues);
    state.hasSeveralNetworks |=
        variant.config.architecture != plan.variants.front().config.architecture;
  }
  return state;
}

}  // namespace

std::vector<MeasureResult> resultsOf(const ExperimentState& state) {
  const std::size_t variants = state.variants.size();
  std::vector<MeasureResult> results;
  for (std::size_t measure = 0; measure < state.experiment.measures.size(); ++measure) {
    std::vector<std::vector<std::optional<double>>> values(variants);
    for (const ExperimentCell& cell : state.cells) {
      values[cell.variant].push_back(measure < cell.values.size() ? cell.values[measure]
                                                                  : std::nullopt);
    }
    MeasureResult result{state.experiment.measures[measure], {}};
    for (std::size_t i = 0; i < variants; ++i) {
      result.variants.push_back(resultOf(values[i],
                                         i == state.baseline ? nullptr : &values[state.baseline],
                                         result.measure.quantity));
    }
    results.push_back(std::move(result));
  }
  return results;
}

ExperimentState stateOfPlan(const Experiment& experiment, const ExperimentPlan& plan) {
  ExperimentState state = withVariants(experiment, plan);
  for (const PlannedRun& run : plan.runs) {
    ExperimentCell cell;
    cell.variant = run.variant;
    cell.seed = run.seed;
    cell.epochs = plan.variants[run.variant].config.recipe.epochs;
    state.cells.push_back(std::move(cell));
  }
  state.results = resultsOf(state);
  return state;
}

ExperimentState readExperiment(const ExperimentFolder& folder, const ExperimentState* before) {
  ExperimentState state = withVariants(folder.experiment(), folder.plan());
  DataComparison data(folder.plan());
  for (const PlannedRun& run : folder.plan().runs) {
    CellReading reading = readCell(folder, run);
    data.add(run, reading, state.warnings);
    if (!reading.warning.empty()) state.warnings.push_back(reading.warning);
    if (reading.cell.state == CellState::done) {
      const ExperimentCell* known = before ? doneIn(*before, reading.cell) : nullptr;
      reading.cell.values =
          known ? known->values : valuesOf(folder.runFolder(run), reading.record, state);
    }
    state.cells.push_back(std::move(reading.cell));
  }
  state.results = resultsOf(state);
  if (state.experiment.halving.isOn()) {
    readCurves(folder, state, before);
    markEnded(decideHalving(state), state);
  }
  return state;
}

}  // namespace lambda
