#include "app/runs/compare/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "app/runs/compare/config_difference.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

std::optional<double> valueOf(const EpochRecord& epoch, RunQuantity quantity) {
  switch (quantity) {
    case RunQuantity::validationScore:
      return epoch.validation ? std::optional(epoch.validation->score) : std::nullopt;
    case RunQuantity::validationLoss:
      return epoch.validation ? std::optional(epoch.validation->loss) : std::nullopt;
    case RunQuantity::trainScore:
      return epoch.train.score;
    case RunQuantity::trainLoss:
      return epoch.train.loss;
  }
  return std::nullopt;
}

CurveSamples samplesOf(const Metrics& metrics, RunQuantity quantity) {
  CurveSamples samples;
  for (const EpochRecord& epoch : metrics.epochs) {
    const auto value = valueOf(epoch, quantity);
    if (!value) continue;
    samples.step.push_back(static_cast<double>(epoch.step));
    samples.epoch.push_back(epoch.epoch);
    samples.seconds.push_back(epoch.seconds);
    samples.y.push_back(*value);
  }
  return samples;
}

CurveSamples samplesOf(const QuantityMatch& match) {
  CurveSamples samples;
  const std::vector<CurvePoint>& points = match.curve->points;
  for (const CurvePoint& point : points) {
    samples.step.push_back(static_cast<double>(point.step));
    // An epoch's score belongs to its end, wherever other programs begin to count.
    if (match.isByEpoch) {
      samples.epoch.push_back(static_cast<double>(point.step - points.front().step + 1));
    }
    samples.seconds.push_back(point.wallTime - points.front().wallTime);
    samples.y.push_back(point.value * match.factor);
  }
  return samples;
}

/// The run's name, and its difference from other runs with that name.
QString overlayLabelOf(const std::vector<OverlayRun>& runs, const OverlayRun& run) {
  const auto sameName = std::count_if(runs.begin(), runs.end(), [&](const OverlayRun& other) {
    return other.row.name() == run.row.name();
  });
  if (sameName < 2 || run.difference.isEmpty()) return run.row.name();
  return run.row.name() + u": "_s + run.difference;
}

}  // namespace

std::vector<OverlayRun> overlayRuns(RunLibrary& library,
                                    const RunTableModel& runs,
                                    const std::vector<std::filesystem::path>& paths) {
  std::vector<OverlayRun> overlay;
  for (const std::filesystem::path& path : paths) {
    const int index = runs.indexOf(path);
    if (index < 0) continue;
    OverlayRun run{runs.row(index), runs.colorIndex(path), nullptr, {}, {}};
    run.colorIndex = std::max(run.colorIndex, 0);
    if (run.row.isImported()) {
      const auto& logs = library.importedLogs();
      const auto log = std::find_if(
          logs.begin(), logs.end(), [&](const ImportedLog& each) { return each.path == path; });
      if (log != logs.end()) run.log = *log;
    } else if (run.row.hasRecord()) {
      run.metrics = library.metrics(path);
    }
    overlay.push_back(std::move(run));
  }
  std::vector<const RunRecord*> records;
  for (const OverlayRun& run : overlay) {
    if (run.row.hasRecord()) records.push_back(&run.row.run.record);
  }
  const QStringList texts = legendTexts(records);
  qsizetype next = 0;
  for (OverlayRun& run : overlay) {
    if (run.row.hasRecord()) run.difference = texts[next++];
  }
  return overlay;
}

ScoreKind scoreOf(const std::vector<OverlayRun>& runs) {
  return runs.empty() ? ScoreKind::accuracy : runs.front().row.run.record.scoredBy;
}

bool isScoredBy(ScoreKind score, const OverlayRun& run) {
  return run.row.run.record.scoredBy == score;
}

std::vector<CurveSeries> overlayOf(const std::vector<OverlayRun>& runs, RunQuantity quantity) {
  constexpr std::array kStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  std::map<int, std::size_t> uses;
  std::vector<CurveSeries> series;
  const ScoreKind score = scoreOf(runs);
  for (const OverlayRun& run : runs) {
    if (!isScoredBy(score, run)) continue;
    CurveSeries curve;
    curve.key = run.row.run.path.string();
    curve.label = overlayLabelOf(runs, run).toStdString();
    curve.colorIndex = run.colorIndex;
    curve.points = true;
    curve.penStyle = kStyles[uses[run.colorIndex]++ % kStyles.size()];
    if (run.metrics) {
      curve.samples = samplesOf(*run.metrics, quantity);
    } else if (const auto match = matchOf(run.log, quantity)) {
      curve.samples = samplesOf(*match);
      if (match->isOfTest) curve.label += ", on its test set";
    }
    if (!curve.samples.y.empty()) series.push_back(std::move(curve));
  }
  return series;
}

double bestOf(const CurveSeries& series, RunQuantity quantity) {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const double value : series.samples.y) {
    const bool isBetter = isScore(quantity) ? value > best : value < best;
    if (std::isfinite(value) && (std::isnan(best) || isBetter)) best = value;
  }
  return best;
}

bool isScore(RunQuantity quantity) {
  return quantity == RunQuantity::validationScore || quantity == RunQuantity::trainScore;
}

}  // namespace lambda
