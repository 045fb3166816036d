#include "app/runs/panels/overlay_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/runs/compare/overlay.h"
#include "app/runs/panels/choice_bar.h"
#include "app/runs/panels/run_legend.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/plots/curves/run_curves.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLegendWidth = 252;
constexpr int kRefreshMs = 30;
/// More lines can't be told apart.
constexpr std::size_t kMostDrawn = 40;

const QString kQuantityKey = u"quantity"_s;
const QString kAccuracyGroup = u"accuracyPlot"_s;
const QString kLossGroup = u"lossPlot"_s;

QString nameOfScore(ScoreKind score) {
  return QString::fromUtf8(traitsOf(score).name);
}

QStringList quantityNames(ScoreKind score) {
  return {u"Validation %1"_s.arg(nameOfScore(score)),
          u"Validation loss"_s,
          u"Training %1"_s.arg(nameOfScore(score)),
          u"Training loss"_s};
}

}  // namespace

OverlayPanel::OverlayPanel(const RunsContext& context)
    : library_(context.library),
      runs_(context.runs),
      quantities_(new ChoiceBar(quantityNames(ScoreKind::accuracy), u"Curves"_s, this)),
      plots_(new QStackedWidget(this)),
      score_(makeView(runPanels()[1])),
      loss_(makeView(runPanels()[0])),
      legend_(new RunLegend),
      legendPlace_(new QScrollArea(this)),
      rest_(new QLabel(this)) {
  quantities_->setToolTipOf(2, u"On a fixed sample of the training images"_s);
  quantities_->setToolTipOf(3, u"On a fixed sample of the training images"_s);
  legendPlace_->setWidget(legend_);
  legendPlace_->setWidgetResizable(true);
  legendPlace_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  rest_->setProperty(kRole, u"secondary"_s);
  rest_->setWordWrap(true);
  rest_->hide();
  updateSizes();

  auto* top = new FlowLayout(4);
  top->addWidget(quantities_);
  top->beginRight();
  for (const View& each : {score_, loss_}) top->addWidget(each.toolbar);
  loss_.toolbar->hide();
  auto* body = new QHBoxLayout;
  body->setSpacing(8);
  body->addWidget(plots_, 1);
  auto* side = new QVBoxLayout;
  side->addWidget(legendPlace_, 1);
  side->addWidget(rest_);
  body->addLayout(side);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  column->addLayout(top);
  column->addLayout(body, 1);

  link(score_, loss_);
  link(loss_, score_);
  score_.plot->setAxis(CurveAxis::epochs);
  refreshTimer_.setSingleShot(true);
  refreshTimer_.setInterval(kRefreshMs);
  connect(&refreshTimer_, &QTimer::timeout, this, &OverlayPanel::refresh);
  connect(quantities_, &ChoiceBar::chosen, this, [this] {
    refresh();
    view().plot->fitAction()->trigger();
  });
  connect(legend_, &RunLegend::runClicked, this, &OverlayPanel::choose);
  connect(&library_, &RunLibrary::metricsChanged, this, [this](const std::filesystem::path& path) {
    if (std::find(paths_.begin(), paths_.end(), path) != paths_.end()) refreshSoon();
  });
  connect(&runs_, &QAbstractItemModel::dataChanged, this, &OverlayPanel::refreshSoon);
  onFontChange(*this, [this] { updateSizes(); });
}

OverlayPanel::View OverlayPanel::makeView(const CurvePanel& panel) {
  View view;
  view.plot = new CurvePlot({panel}, this);
  view.plot->setFollow(true);
  view.toolbar = new CurveToolbar(*view.plot, panel.automaticLog ? 0 : -1, this);
  plots_->addWidget(view.plot);
  connect(
      view.plot, &CurvePlot::seriesClicked, this, [this](const std::string& key) { choose(key); });
  return view;
}

void OverlayPanel::link(View& from, View& to) {
  connect(from.plot, &CurvePlot::axisChanged, to.plot, &CurvePlot::setAxis);
  connect(from.plot, &CurvePlot::smoothingChanged, to.plot, &CurvePlot::setSmoothing);
}

void OverlayPanel::setRuns(const std::vector<std::filesystem::path>& runs) {
  if (paths_ == runs) return refreshSoon();
  paths_ = runs;
  highlighted_.clear();
  for (const View& each : {score_, loss_}) each.plot->setFollow(true);
  refreshSoon();
}

void OverlayPanel::setCurrentRun(const std::filesystem::path& run) {
  legend_->setSelected(run);
}

void OverlayPanel::setQuantity(RunQuantity quantity) {
  quantities_->setCurrent(static_cast<int>(quantity));
  refreshSoon();
}

RunQuantity OverlayPanel::quantity() const {
  return static_cast<RunQuantity>(quantities_->current());
}

QList<QAction*> OverlayPanel::panelActions() const {
  return score_.toolbar->plotActions();
}

void OverlayPanel::saveLayout(QSettings& settings) const {
  settings.setValue(kQuantityKey, quantities_->current());
  settings.beginGroup(kAccuracyGroup);
  score_.toolbar->saveLayout(settings);
  settings.endGroup();
  settings.beginGroup(kLossGroup);
  loss_.toolbar->saveLayout(settings);
  settings.endGroup();
}

void OverlayPanel::restoreLayout(QSettings& settings) {
  if (!settings.contains(kQuantityKey)) return;
  setQuantity(static_cast<RunQuantity>(std::clamp(settings.value(kQuantityKey).toInt(), 0, 3)));
  settings.beginGroup(kLossGroup);
  loss_.toolbar->restoreLayout(settings);
  settings.endGroup();
  settings.beginGroup(kAccuracyGroup);
  score_.toolbar->restoreLayout(settings);
  settings.endGroup();
}

void OverlayPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  if (isStale_) refresh();
}

void OverlayPanel::updateSizes() {
  legendPlace_->setFixedWidth(qRound(kLegendWidth * textScale()));
  rest_->setFixedWidth(legendPlace_->width());
}

void OverlayPanel::refreshSoon() {
  isStale_ = true;
  if (isVisible() && !refreshTimer_.isActive()) refreshTimer_.start();
}

OverlayPanel::View& OverlayPanel::view() {
  return isScore(quantity()) ? score_ : loss_;
}

LegendEntry OverlayPanel::entryFor(const OverlayRun& run,
                                   const std::vector<CurveSeries>& series) const {
  LegendEntry entry{
      run.row.run.path, run.colorIndex, Qt::SolidLine, run.row.name(), run.difference, {}};
  const auto curve = std::find_if(series.begin(), series.end(), [&](const CurveSeries& each) {
    return each.key == entry.run.string();
  });
  QString note = library_.metricsProblem(entry.run);
  if (curve != series.end()) {
    entry.penStyle = curve->penStyle;
    double shown = bestOf(*curve, quantity());
    if (const auto match = matchOf(run.log, quantity())) {
      // The best epoch must not be chosen on the test set.
      if (match->isOfTest) shown = curve->samples.y.back();
      const QString name = QString::fromStdString(match->curve->name);
      note = match->isOfTest ? u"on its test set, logged as %1"_s.arg(name)
                             : u"logged as %1"_s.arg(name);
    }
    entry.value =
        isScore(quantity()) ? scoreText(shown, run.row.run.record.scoredBy) : numberText(shown, 4);
  } else if (run.row.hasRecord() && !isScoredBy(compared_, run)) {
    note = u"another task, with %1"_s.arg(nameOfScore(run.row.run.record.scoredBy));
  } else if (run.row.isImported()) {
    note = u"has no such curve"_s;
  } else if (run.row.state == RunState::damaged) {
    note = u"its record can't be read"_s;
  } else if (run.metrics && note.isEmpty()) {
    note = u"no epoch scored yet"_s;
  }
  if (!note.isEmpty()) entry.detail += (entry.detail.isEmpty() ? QString() : u", "_s) + note;
  return entry;
}

void OverlayPanel::refresh() {
  isStale_ = false;
  const std::size_t drawn = std::min(paths_.size(), kMostDrawn);
  const std::vector<OverlayRun> overlay =
      overlayRuns(library_, runs_, {paths_.begin(), paths_.begin() + static_cast<int>(drawn)});
  rest_->setVisible(drawn < paths_.size());
  rest_->setText(u"%1 of %2 runs are drawn. Check the runs to compare."_s.arg(drawn).arg(
      countText(paths_.size())));
  compared_ = scoreOf(overlay);
  const QStringList names = quantityNames(compared_);
  for (int i = 0; i < names.size(); ++i) quantities_->setTextOf(i, names[i]);
  score_.plot->setPanels({runPanels(compared_)[1]});
  std::vector<CurveSeries> series = overlayOf(overlay, quantity());
  std::vector<LegendEntry> entries;
  for (const OverlayRun& run : overlay) entries.push_back(entryFor(run, series));
  const bool isReading = std::any_of(overlay.begin(), overlay.end(), [](const OverlayRun& run) {
    return run.row.hasRecord() && !run.metrics;
  });
  View& shown = view();
  for (const View& each : {score_, loss_}) each.toolbar->setVisible(each.toolbar == shown.toolbar);
  plots_->setCurrentWidget(shown.plot);
  shown.plot->setEmptyText(paths_.empty() ? u"Check runs in the table to compare their curves."_s
                           : isReading    ? u"Reading …"_s
                                          : u"No epoch has been scored yet."_s);
  shown.plot->setExportName(u"runs-"_s + (isScore(quantity())
                                              ? QString::fromLatin1(traitsOf(compared_).key)
                                              : u"loss"_s));
  shown.plot->setSeries(std::move(series));
  legend_->setEntries(std::move(entries));
  if (!highlighted_.empty()) shown.plot->setHighlighted({highlighted_.string()});
}

void OverlayPanel::choose(const std::filesystem::path& run) {
  const bool isSecondClick = highlighted_ == run || paths_.size() < 2;
  highlighted_ = isSecondClick ? std::filesystem::path() : run;
  view().plot->setHighlighted(isSecondClick ? std::vector<std::string>{}
                                            : std::vector<std::string>{run.string()});
  Q_EMIT runClicked(run);
}

}  // namespace lambda
