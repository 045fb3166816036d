#include "app/train/run/curves_panel.h"

#include <algorithm>

#include <QAction>
#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/training/training_session.h"
#include "app/train/training_text.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/plots/curves/run_curves.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

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
    : Panel(parent), session_(session), plot_(new CurvePlot(runPanels(), this)) {
  plot_->setSmoothing(kSmoothing);
  plot_->setEmptyText(u"The curves begin with the first batch."_s);
  plot_->setExportName(u"curves"_s);
  toolbar_ = new CurveToolbar(*plot_, 0, this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kGap, spacing::kGap, spacing::kGap, 0);
  column->setSpacing(spacing::kGap);
  reference_ = new QAction(u"Curves of the run before"_s, this);
  reference_->setIconText(u"Run before"_s);
  reference_->setToolTip(u"Keep the curves of the run before as a faint reference"_s);
  reference_->setCheckable(true);
  auto* button = new QToolButton(this);
  button->setDefaultAction(reference_);
  button->setProperty(kRole, u"quiet"_s);
  // A button does not hide with its action.
  connect(reference_, &QAction::changed, button, [this, button] {
    button->setVisible(reference_->isVisible());
  });
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  row->addWidget(toolbar_, 1);
  row->addWidget(button);
  column->addLayout(row);
  column->addWidget(plot_, 1);
  // The Tab key reaches the plot after the last button of its tool bar.
  setTabOrder(plot_, button);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &CurvesPanel::catchUp);
  connect(&session_, &TrainingSession::started, this, &CurvesPanel::restart);
  connect(&session_, &TrainingSession::metricsArrived, this, &CurvesPanel::schedule);
  connect(&session_, &TrainingSession::ended, this, [this] {
    catchUp();
    ended_ = {session_.status().run, session_.metrics(), stepsPerEpoch()};
  });
  connect(reference_, &QAction::toggled, this, [this] {
    batches_ = epochs_ = 0;
    keys_.clear();
    catchUp();
  });
  restart();
}

void CurvesPanel::restart() {
  // A resumed run has its earlier records itself.
  if (!ended_.run.empty() && ended_.run != session_.status().run) before_ = std::move(ended_);
  ended_ = {};
  const ScoreKind score = traitsOf(session_.status().record.config.architecture.task).score;
  const std::vector<BatchRecord>& earlier = before_.metrics.batches;
  const bool hasOtherScore = !earlier.empty() && earlier.front().scoredBy != score;
  if (before_.run == session_.status().run || hasOtherScore) before_ = {};
  reference_->setVisible(!before_.run.empty());
  batches_ = epochs_ = events_ = 0;
  keys_.clear();
  std::vector<CurvePanel> panels = runPanels(score);
  panels.front().inWords = lossInWords(session_.status().record.config);
  plot_->setPanels(std::move(panels));
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
  std::vector<CurveSeries> added = runCurves(newIn(all, batches_, epochs_), stepsPerEpoch());
  const bool isKnown = std::ranges::all_of(added, [this](const CurveSeries& series) {
    return std::ranges::find(keys_, series.key) != keys_.end();
  });
  if (isKnown) {
    for (const CurveSeries& series : added) plot_->append(series.key, series.samples);
  } else {
    showAll();
  }
  const bool marksChanged = events_ != all.events.size() || epochs_ != all.epochs.size();
  batches_ = all.batches.size();
  epochs_ = all.epochs.size();
  events_ = all.events.size();
  if (marksChanged) plot_->setMarks(runMarks(all, stepsPerEpoch()));
}

double CurvesPanel::stepsPerEpoch() const {
  return session_.status().record.batchesPerEpoch;
}

void CurvesPanel::showAll() {
  std::vector<CurveSeries> whole = runCurves(session_.metrics(), stepsPerEpoch());
  keys_.clear();
  for (const CurveSeries& series : whole) keys_.push_back(series.key);
  std::vector<CurveSeries> all = referenceCurves();
  all.insert(all.end(), whole.begin(), whole.end());
  plot_->setSeries(std::move(all));
}

/// The curves of the run before, below those of this one.
std::vector<CurveSeries> CurvesPanel::referenceCurves() const {
  if (!reference_->isChecked() || before_.run.empty()) return {};
  std::vector<CurveSeries> curves = runCurves(before_.metrics, before_.stepsPerEpoch);
  std::erase_if(curves, [](const CurveSeries& each) { return each.key.starts_with("train."); });
  for (CurveSeries& each : curves) {
    each.key = "before." + each.key;
    each.label += " (before)";
    each.color = QColor(128, 128, 128, 120);
    each.points = false;
    each.penStyle = each.faintRaw ? Qt::SolidLine : Qt::DashLine;
  }
  return curves;
}

double CurvesPanel::epochOf(std::int64_t step) const {
  const int batches = session_.status().record.batchesPerEpoch;
  return batches > 0 ? static_cast<double>(step) / batches : 0;
}

void CurvesPanel::showPlaceOf(const EventRecord& event) {
  CurveMark place;
  place.step = static_cast<double>(event.step);
  place.epoch = epochOf(event.step);
  place.seconds = event.seconds;
  plot_->showPlace(place);
}

void CurvesPanel::saveLayout(QSettings& settings) const {
  toolbar_->saveLayout(settings);
  settings.setValue(u"reference"_s, reference_->isChecked());
}

void CurvesPanel::restoreLayout(QSettings& settings) {
  toolbar_->restoreLayout(settings);
  reference_->setChecked(settings.value(u"reference"_s, false).toBool());
}

void CurvesPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  catchUp();
}

}  // namespace lambda
