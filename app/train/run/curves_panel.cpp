#include "app/train/run/curves_panel.h"

#include <algorithm>

#include <QVBoxLayout>

#include "app/session/training_session.h"
#include "app/train/training_text.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/plots/curves/run_curves.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kCurvesGap = 8;
constexpr int kShortestInterval = 100;  // Milliseconds.
constexpr int kLongestInterval = 2000;
constexpr double kIntervalPerCost = 40;  // Drawing takes at most 1/40 of one core.
constexpr double kSmoothing = 0.9;

/// The records from these indices on.
Metrics newIn(const Metrics& all, std::size_t batches, std::size_t epochs) {
  const auto from = [](const auto& records, std::size_t first) {
    return std::remove_cvref_t<decltype(records)>(
        records.begin() + static_cast<std::ptrdiff_t>(std::min(first, records.size())),
        records.end());
  };
  Metrics part;
  part.batches = from(all.batches, batches);
  part.epochs = from(all.epochs, epochs);
  return part;
}

}  // namespace

CurvesPanel::CurvesPanel(TrainingSession& session, QWidget* parent)
    : QWidget(parent), session_(session), plot_(new CurvePlot(runPanels(), this)) {
  plot_->setSmoothing(kSmoothing);
  plot_->setEmptyText(tr("The curves begin with the first batch."));
  plot_->setExportName(u"curves"_s);
  toolbar_ = new CurveToolbar(*plot_, 0, this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kCurvesGap, kCurvesGap, kCurvesGap, 0);
  column->setSpacing(kCurvesGap);
  column->addWidget(toolbar_);
  column->addWidget(plot_, 1);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &CurvesPanel::catchUp);
  connect(&session_, &TrainingSession::started, this, &CurvesPanel::restart);
  connect(&session_, &TrainingSession::metricsArrived, this, &CurvesPanel::schedule);
  connect(&session_, &TrainingSession::ended, this, &CurvesPanel::catchUp);
  restart();
}

void CurvesPanel::restart() {
  batches_ = epochs_ = events_ = 0;
  keys_.clear();
  plot_->setSeries({});
  plot_->setMarks({});
  plot_->setFollow(true);
  const std::filesystem::path& run = session_.status().run;
  if (!run.empty()) plot_->setExportName(toText(run.filename()) + u"-curves"_s);
  catchUp();
}

void CurvesPanel::schedule() {
  if (timer_.isActive() || !isVisible()) return;
  const double interval = kIntervalPerCost * plot_->drawMilliseconds();
  timer_.start(std::clamp(qRound(interval), kShortestInterval, kLongestInterval));
}

void CurvesPanel::catchUp() {
  if (!isVisible()) return;
  const Metrics& all = session_.metrics();
  const double stepsPerEpoch = session_.status().batchesPerEpoch;
  std::vector<CurveSeries> added = runCurves(newIn(all, batches_, epochs_), stepsPerEpoch);
  const bool isKnown = std::ranges::all_of(added, [this](const CurveSeries& series) {
    return std::ranges::find(keys_, series.key) != keys_.end();
  });
  if (isKnown) {
    for (const CurveSeries& series : added) plot_->append(series.key, series.samples);
  } else {
    std::vector<CurveSeries> whole = runCurves(all, stepsPerEpoch);
    keys_.clear();
    for (const CurveSeries& series : whole) keys_.push_back(series.key);
    plot_->setSeries(std::move(whole));
  }
  const bool marksChanged = events_ != all.events.size() || epochs_ != all.epochs.size();
  batches_ = all.batches.size();
  epochs_ = all.epochs.size();
  events_ = all.events.size();
  if (marksChanged) plot_->setMarks(runMarks(all, stepsPerEpoch));
}

double CurvesPanel::epochOf(std::int64_t step) const {
  const int batches = session_.status().batchesPerEpoch;
  return batches > 0 ? static_cast<double>(step) / batches : 0;
}

void CurvesPanel::showPlaceOf(const EventRecord& event) {
  CurveMark place;
  place.step = static_cast<double>(event.step);
  place.epoch = epochOf(event.step);
  place.seconds = event.seconds;
  plot_->showPlace(place);
}

void CurvesPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  catchUp();
}

}  // namespace lambda
