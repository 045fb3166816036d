#include "app/experiments/pictures/experiment_pictures.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/pictures/axis_places.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/named_heatmap.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString titleOf(PictureKind picture) {
  switch (picture) {
    case PictureKind::effects:
      return u"Effects"_s;
    case PictureKind::curves:
      return u"Curves"_s;
    case PictureKind::sweep:
      return u"Along one axis"_s;
    case PictureKind::heatmap:
      return u"Over two axes"_s;
    case PictureKind::costs:
      return u"Against the cost"_s;
  }
  return {};
}

QString toolTipOf(PictureKind picture) {
  switch (picture) {
    case PictureKind::effects:
      return u"Every run, and the mean of each variant with its 95 % interval"_s;
    case PictureKind::curves:
      return u"The mean over the seeds of each variant after every epoch"_s;
    case PictureKind::sweep:
      return u"The results against the values of an axis of numbers"_s;
    case PictureKind::heatmap:
      return u"The means for each pair of values of the two axes"_s;
    case PictureKind::costs:
      return u"Which variant is worth its parameters, its arithmetic or its time"_s;
  }
  return {};
}

}  // namespace

ExperimentPictures::ExperimentPictures(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      curveQuantity_(new QComboBox(this)),
      cost_(new QComboBox(this)),
      runs_(new QCheckBox(u"Single runs"_s, this)),
      plots_(new QStackedWidget(this)),
      exports_(new QStackedWidget(this)),
      effects_(new EffectPlot(this)),
      curves_(new IntervalPlot(IntervalLook::bands, this)),
      sweep_(new IntervalPlot(IntervalLook::bars, this)),
      heatmap_(new NamedHeatmap(this)),
      costs_(new ScatterPlot(this)) {
  tabs_->setObjectName(u"pictures"_s);
  tabs_->setAccessibleName(u"Picture"_s);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  curves_->setObjectName(u"curves"_s);
  sweep_->setObjectName(u"sweep"_s);
  curveQuantity_->setObjectName(u"curveQuantity"_s);
  curveQuantity_->setAccessibleName(u"Quantity of the curves"_s);
  curveQuantity_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  cost_->setObjectName(u"cost"_s);
  cost_->setAccessibleName(u"Cost"_s);
  for (const CostQuantity cost : kCostQuantities) cost_->addItem(nameOf(cost));
  runs_->setChecked(true);
  runs_->setToolTip(u"Show every run beside the means"_s);
  auto* bar = new FlowLayout(spacing::kGap);
  bar->addWidget(tabs_);
  bar->beginRight();
  for (QWidget* part : {static_cast<QWidget*>(runs_),
                        static_cast<QWidget*>(curveQuantity_),
                        static_cast<QWidget*>(cost_),
                        static_cast<QWidget*>(exports_)}) {
    bar->addWidget(part);
  }
  const auto addPlot = [this](auto& plot) {
    plots_->addWidget(&plot);
    exports_->addWidget(makeExportButton(plot, plot));
  };
  addPlot(*effects_);
  addPlot(*curves_);
  addPlot(*sweep_);
  addPlot(*heatmap_);
  addPlot(*costs_);
  exports_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  auto* column = makeBareLayout<QVBoxLayout>(this, spacing::kTight);
  column->addLayout(bar);
  column->addWidget(plots_, 1);
  connectParts();
}

void ExperimentPictures::connectParts() {
  connect(tabs_, &QTabBar::currentChanged, this, &ExperimentPictures::refresh);
  connect(curveQuantity_, &QComboBox::currentIndexChanged, this, &ExperimentPictures::refresh);
  connect(cost_, &QComboBox::currentIndexChanged, this, &ExperimentPictures::refresh);
  connect(runs_, &QCheckBox::toggled, this, &ExperimentPictures::refresh);
  connect(effects_, &EffectPlot::runClicked, this, &ExperimentPictures::runRequested);
  connect(effects_, &EffectPlot::rowClicked, this, &ExperimentPictures::variantRequested);
  for (IntervalPlot* plot : {curves_, sweep_}) {
    connect(plot, &IntervalPlot::runClicked, this, &ExperimentPictures::runRequested);
    connect(plot, &IntervalPlot::meanClicked, this, &ExperimentPictures::requestVariant);
  }
  connect(costs_, &ScatterPlot::pointClicked, this, &ExperimentPictures::requestVariant);
  connect(heatmap_, &NamedHeatmap::cellClicked, this, [this](std::size_t row, std::size_t column) {
    const auto table = crossedTableOf(state_);
    if (table && table->variantAt(row, column)) {
      Q_EMIT variantRequested(*table->variantAt(row, column));
    }
  });
}

void ExperimentPictures::setState(const ExperimentState& state, std::size_t measure) {
  state_ = state;
  measure_ = measure;
  isEmpty_ = false;
  setPictures(picturesOf(state_));
  setCurveQuantities(state_);
  refresh();
}

void ExperimentPictures::showPicture(PictureKind picture) {
  const auto found = std::ranges::find(pictures_, picture);
  if (found != pictures_.end()) tabs_->setCurrentIndex(static_cast<int>(found - pictures_.begin()));
}

/// The shown picture stays where the experiment has it.
void ExperimentPictures::setPictures(const std::vector<PictureKind>& pictures) {
  if (pictures_ == pictures) return;
  const PictureKind before = current();
  const QSignalBlocker blocker(tabs_);
  while (tabs_->count() > 0) tabs_->removeTab(0);
  pictures_ = pictures;
  for (const PictureKind picture : pictures_) {
    tabs_->setTabToolTip(tabs_->addTab(titleOf(picture)), toolTipOf(picture));
  }
  showPicture(before);
  // While it is hidden, a tab bar does not tell its layout that it needs another width.
  tabs_->updateGeometry();
}

void ExperimentPictures::setCurveQuantities(const ExperimentState& state) {
  std::vector<CurveQuantity> quantities = curveQuantitiesOf(state);
  if (curveQuantities_ == quantities && scoredBy_ == state.scoredBy) return;
  const QString before = curveQuantity_->currentText();
  const QSignalBlocker blocker(curveQuantity_);
  curveQuantities_ = std::move(quantities);
  scoredBy_ = state.scoredBy;
  curveQuantity_->clear();
  for (const CurveQuantity quantity : curveQuantities_) {
    curveQuantity_->addItem(nameOf(quantity, scoredBy_));
  }
  curveQuantity_->setCurrentIndex(std::max(0, curveQuantity_->findText(before)));
}

PictureKind ExperimentPictures::current() const {
  const auto index = static_cast<std::size_t>(std::max(0, tabs_->currentIndex()));
  return index < pictures_.size() ? pictures_[index] : PictureKind::effects;
}

void ExperimentPictures::refresh() {
  if (isEmpty_) return;
  const PictureKind picture = current();
  const bool hasIntervals = picture == PictureKind::curves || picture == PictureKind::sweep;
  runs_->setVisible(hasIntervals);
  curveQuantity_->setVisible(picture == PictureKind::curves);
  cost_->setVisible(picture == PictureKind::costs);
  curves_->setRunsVisible(runs_->isChecked());
  sweep_->setRunsVisible(runs_->isChecked());
  switch (picture) {
    case PictureKind::effects:
      showEffects(*effects_, state_, measure_);
      break;
    case PictureKind::curves: {
      const auto chosen = static_cast<std::size_t>(curveQuantity_->currentIndex());
      showCurves(*curves_, state_, curveQuantities_[chosen]);
      break;
    }
    case PictureKind::sweep:
      showSweep(*sweep_, state_, measure_);
      break;
    case PictureKind::heatmap:
      showHeatmap(*heatmap_, state_, measure_);
      break;
    case PictureKind::costs:
      showCosts(*costs_,
                state_,
                measure_,
                kCostQuantities[static_cast<std::size_t>(cost_->currentIndex())]);
      break;
  }
  plots_->setCurrentIndex(static_cast<int>(picture));
  exports_->setCurrentIndex(static_cast<int>(picture));
}

void ExperimentPictures::requestVariant(const std::string& name) {
  const auto found = std::ranges::find(state_.variants, name);
  if (found == state_.variants.end()) return;
  Q_EMIT variantRequested(static_cast<std::size_t>(found - state_.variants.begin()));
}

}  // namespace lambda
