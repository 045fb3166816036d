#include "widgets/plots/curves/run_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

enum Panel { kLoss = 0, kScore = 1 };

/// Indices into Colors::series.
constexpr int kBatchColor = 0;
constexpr int kValidationColor = 1;
constexpr int kTrainColor = 2;

/// Steps per epoch; 0 before the end of the first one.
double stepsPerEpochOf(const Metrics& metrics) {
  if (metrics.epochs.empty() || metrics.epochs.front().epoch < 1) return 0;
  return static_cast<double>(metrics.epochs.front().step) / metrics.epochs.front().epoch;
}

const char* scoreKeyOf(const Metrics& metrics) {
  ScoreKind scoredBy = ScoreKind::accuracy;
  if (!metrics.epochs.empty()) scoredBy = metrics.epochs.front().train.scoredBy;
  if (!metrics.batches.empty()) scoredBy = metrics.batches.front().scoredBy;
  return traitsOf(scoredBy).key;
}

double epochAt(std::int64_t step, double stepsPerEpoch) {
  return stepsPerEpoch > 0 ? static_cast<double>(step) / stepsPerEpoch : 0;
}

void add(CurveSamples& samples, std::int64_t step, double epoch, double seconds, double y) {
  samples.step.push_back(static_cast<double>(step));
  samples.epoch.push_back(epoch);
  samples.seconds.push_back(seconds);
  samples.y.push_back(y);
}

std::optional<CurveMarkKind> markOf(EventKind kind) {
  switch (kind) {
    case EventKind::checkpoint:
      return CurveMarkKind::checkpoint;
    case EventKind::resumed:
      return CurveMarkKind::resumed;
    case EventKind::warning:
      return CurveMarkKind::warning;
    case EventKind::changed:
      return CurveMarkKind::changed;
    case EventKind::started:
    case EventKind::paused:
    case EventKind::continued:
    case EventKind::stopped:
    case EventKind::finished:
    case EventKind::failed:
    case EventKind::tested:
      return std::nullopt;
  }
  return std::nullopt;
}

QString markText(CurveMarkKind kind, const EventRecord& event) {
  const QString text = QString::fromStdString(event.text);
  switch (kind) {
    case CurveMarkKind::checkpoint:
      return u"Checkpoint: %1"_s.arg(text);
    case CurveMarkKind::resumed:
      return u"Resumed: %1"_s.arg(text);
    case CurveMarkKind::learningRate:
      return u"Learning rate: %1"_s.arg(text);
    case CurveMarkKind::warning:
      return u"Warning: %1"_s.arg(text);
    case CurveMarkKind::changed:
      return text.left(1).toUpper() + text.mid(1);
  }
  return text;
}

/// Marks where the learning rate jumps, as in a step schedule or a fork: by more than a twentieth
/// of its peak or to less than half, and far more than between the batches before.
void addLearningRateMarks(std::vector<CurveMark>& marks,
                          const std::vector<BatchRecord>& batches,
                          double stepsPerEpoch) {
  constexpr double kShareOfPeak = 0.05;
  constexpr double kTimesTheSlope = 5;
  double peak = 0;
  for (std::size_t i = 2; i < batches.size(); ++i) {
    const double before = batches[i - 1].learningRate;
    peak = std::max(peak, before);
    const double slope = std::abs(before - batches[i - 2].learningRate);
    const double jump = std::abs(batches[i].learningRate - before);
    const bool isLarge = jump > kShareOfPeak * peak || batches[i].learningRate < before / 2;
    if (!isLarge || jump <= kTimesTheSlope * slope) continue;
    marks.push_back({static_cast<double>(batches[i].step),
                     epochAt(batches[i].step, stepsPerEpoch),
                     batches[i].seconds,
                     CurveMarkKind::learningRate,
                     u"Learning rate from %1 to %2"_s.arg(roundedText(before),
                                                          roundedText(batches[i].learningRate))});
  }
}

}  // namespace

std::vector<CurvePanel> runPanels(ScoreKind score) {
  const ScoreTraits traits = traitsOf(score);
  const QString name = QString::fromUtf8(traits.name);
  return {{.title = u"Loss"_s, .automaticLog = true},
          {.title = name.left(1).toUpper() + name.mid(1), .percent = traits.isShare}};
}

std::vector<CurveSeries> runCurves(const Metrics& metrics, double stepsPerEpoch) {
  if (stepsPerEpoch <= 0) stepsPerEpoch = stepsPerEpochOf(metrics);
  std::vector<CurveSeries> series;
  for (const int panel : {kLoss, kScore}) {
    const std::string quantity = panel == kLoss ? "loss" : scoreKeyOf(metrics);
    CurveSeries batches{.key = "batches." + quantity,
                        .label = "train (batch)",
                        .panel = panel,
                        .colorIndex = kBatchColor,
                        .faintRaw = true};
    for (const BatchRecord& batch : metrics.batches) {
      add(batches.samples,
          batch.step,
          epochAt(batch.step, stepsPerEpoch),
          batch.seconds,
          panel == kLoss ? batch.loss : batch.score);
    }
    CurveSeries train{.key = "train." + quantity,
                      .label = "train (epoch)",
                      .panel = panel,
                      .colorIndex = kTrainColor,
                      .points = true};
    CurveSeries validation{.key = "validation." + quantity,
                           .label = "validation",
                           .panel = panel,
                           .colorIndex = kValidationColor,
                           .points = true};
    for (const EpochRecord& epoch : metrics.epochs) {
      const auto valueOf = [panel](const Scores& scores) {
        return panel == kLoss ? scores.loss : scores.score;
      };
      add(train.samples, epoch.step, epoch.epoch, epoch.seconds, valueOf(epoch.train));
      if (epoch.validation) {
        add(validation.samples, epoch.step, epoch.epoch, epoch.seconds, valueOf(*epoch.validation));
      }
    }
    for (CurveSeries& candidate : std::array{batches, train, validation}) {
      if (!candidate.samples.y.empty()) series.push_back(std::move(candidate));
    }
  }
  return series;
}

std::vector<CurveMark> runMarks(const Metrics& metrics, double stepsPerEpoch) {
  if (stepsPerEpoch <= 0) stepsPerEpoch = stepsPerEpochOf(metrics);
  std::vector<CurveMark> marks;
  for (const EventRecord& event : metrics.events) {
    const std::optional<CurveMarkKind> kind = markOf(event.kind);
    if (!kind) continue;
    marks.push_back({static_cast<double>(event.step),
                     epochAt(event.step, stepsPerEpoch),
                     event.seconds,
                     *kind,
                     markText(*kind, event)});
  }
  addLearningRateMarks(marks, metrics.batches, stepsPerEpoch);
  return marks;
}

}  // namespace lambda
