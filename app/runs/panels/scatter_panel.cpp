#include "app/runs/panels/scatter_panel.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QCheckBox>
#include <QLabel>
#include <QSettings>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/panels/choice_bar.h"
#include "app/runs/run_table_model.h"
#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_sort_filter.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/explanation.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kScatterRefreshMs = 60;

constexpr std::array kCosts{RunColumn::parameters, RunColumn::flops, RunColumn::time};
constexpr std::array kScores{RunColumn::validation, RunColumn::test};

const QString kCostKey = u"scatterCost"_s;
const QString kScoreKey = u"scatterScore"_s;
const QString kSameDataKey = u"scatterSameData"_s;
const QString kLogarithmicKey = u"scatterLogarithmic"_s;

ExplanationText explanation(const ScatterPlot& plot) {
  ExplanationText text;
  text.title = u"Which runs are worth their cost?"_s;
  text.body =
      u"Each point is a run: the higher, the more accurate it is; the further left, the less it "
      "costs. The dashed line joins the runs that no other beats in both (the Pareto front): "
      "for each run below it, another is better at the same cost or less.<br><br>"
      "Accuracies on different data can't be compared. The filters of the table apply here too."_s;
  const auto front = paretoFront(plot.points());
  text.numbers = {{u"Runs shown"_s, QString::number(plot.points().size())},
                  {u"On the front"_s, QString::number(front.size())}};
  return text;
}

}  // namespace

ScatterPanel::ScatterPanel(const RunsContext& context)
    : runs_(context.runs),
      sorted_(context.sorted),
      cost_(new ChoiceBar({u"Parameters"_s, u"FLOPs"_s, u"Training time"_s}, u"Cost"_s, this)),
      score_(new ChoiceBar({u"Validation accuracy"_s, u"Test accuracy"_s}, u"Accuracy"_s, this)),
      logarithmic_(new QCheckBox(u"Logarithmic"_s, this)),
      sameData_(new QCheckBox(u"Same data only"_s, this)),
      plot_(new ScatterPlot(this)),
      refreshTimer_(new QTimer(this)) {
  logarithmic_->setChecked(true);
  logarithmic_->setToolTip(u"Equal distances are equal factors"_s);
  sameData_->setObjectName(u"sameData"_s);
  sameData_->setChecked(true);
  sameData_->setToolTip(
      u"Leave out runs on other data than the selected one: accuracies on "
      "different images can't be compared"_s);
  auto* row = new FlowLayout(spacing::kGap);
  row->addWidget(score_);
  auto* against = new QLabel(u"against"_s, this);
  against->setProperty(kRole, u"secondary"_s);
  row->addWidget(against);
  row->addWidget(cost_);
  row->addWidget(logarithmic_);
  row->addWidget(sameData_);
  row->beginRight();
  row->addWidget(makeExplanationButton(*this, [this] { return explanation(*plot_); }));
  row->addWidget(makeExportButton(*plot_, *plot_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  column->addLayout(row);
  column->addWidget(plot_, 1);

  refreshTimer_->setSingleShot(true);
  refreshTimer_->setInterval(kScatterRefreshMs);
  connect(refreshTimer_, &QTimer::timeout, this, &ScatterPanel::refresh);
  connect(cost_, &ChoiceBar::chosen, this, &ScatterPanel::refresh);
  connect(score_, &ChoiceBar::chosen, this, &ScatterPanel::refresh);
  connect(logarithmic_, &QCheckBox::toggled, this, &ScatterPanel::refresh);
  connect(sameData_, &QCheckBox::toggled, this, &ScatterPanel::refresh);
  connect(&sorted_, &QAbstractItemModel::dataChanged, this, &ScatterPanel::refreshSoon);
  connect(&sorted_, &QAbstractItemModel::rowsInserted, this, &ScatterPanel::refreshSoon);
  connect(&sorted_, &QAbstractItemModel::rowsRemoved, this, &ScatterPanel::refreshSoon);
  connect(plot_, &ScatterPlot::pointClicked, this, [this](const std::string& key) {
    Q_EMIT runClicked(key);
  });
}

void ScatterPanel::setCurrentRun(const std::filesystem::path& run) {
  current_ = run;
  plot_->setSelected(run.string());
  if (sameData_->isChecked()) refreshSoon();
}

void ScatterPanel::saveLayout(QSettings& settings) const {
  settings.setValue(kCostKey, cost_->current());
  settings.setValue(kScoreKey, score_->current());
  settings.setValue(kLogarithmicKey, logarithmic_->isChecked());
  settings.setValue(kSameDataKey, sameData_->isChecked());
}

void ScatterPanel::restoreLayout(QSettings& settings) {
  cost_->setCurrent(settings.value(kCostKey, 0).toInt());
  score_->setCurrent(settings.value(kScoreKey, 0).toInt());
  logarithmic_->setChecked(settings.value(kLogarithmicKey, true).toBool());
  sameData_->setChecked(settings.value(kSameDataKey, true).toBool());
}

void ScatterPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  refresh();
}

void ScatterPanel::refreshSoon() {
  if (isVisible() && !refreshTimer_->isActive()) refreshTimer_->start();
}

void ScatterPanel::refresh() {
  const auto cost = kCosts[static_cast<std::size_t>(cost_->current())];
  const auto score = kScores[static_cast<std::size_t>(score_->current())];
  const int current = runs_.indexOf(current_);
  const std::string images = current >= 0 ? comparableDataOf(runs_.row(current)) : std::string();
  const bool isFiltered = sameData_->isChecked() && !images.empty();
  std::vector<ScatterPoint> points;
  // Scores of different tasks have no common axis: that of the selected run is shown.
  ScoreKind scoredBy = ScoreKind::accuracy;
  if (current >= 0) scoredBy = runs_.row(current).run.record.scoredBy;
  for (int row = 0; row < sorted_.rowCount(); ++row) {
    const int source = sorted_.mapToSource(sorted_.index(row, 0)).row();
    const RunRow& run = runs_.row(source);
    if (isFiltered && comparableDataOf(run) != images) continue;
    if (run.run.record.scoredBy != scoredBy) continue;
    points.push_back({run.run.path.string(),
                      runs_.distinctName(source),
                      specOf(cost).number(run),
                      specOf(score).number(run),
                      runs_.colorIndex(run.run.path)});
  }
  const ScoreTraits traits = traitsOf(scoredBy);
  const QString name = QString::fromUtf8(traits.name);
  const QString scoreTitle =
      (score == RunColumn::test ? u"Test %1"_s : u"Best validation %1"_s).arg(name);
  const QString costTitle = cost == RunColumn::time    ? u"Training time"_s
                            : cost == RunColumn::flops ? u"FLOPs of one image, forward"_s
                                                       : u"Parameters"_s;
  plot_->setAxes({costTitle,
                  cost == RunColumn::time ? ValueUnit::seconds : ValueUnit::count,
                  logarithmic_->isChecked()},
                 {scoreTitle, traits.isShare ? ValueUnit::percent : ValueUnit::number, false});
  plot_->setEmptyText(
      score == RunColumn::test
          ? u"None of the listed runs has been scored on the test set."_s
          : u"None of the listed runs has been scored yet. It takes one finished epoch."_s);
  plot_->setPoints(std::move(points));
}

}  // namespace lambda
