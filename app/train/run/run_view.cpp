#include "app/train/run/run_view.h"

#include <QSettings>
#include <QVBoxLayout>

#include "app/session/training/training_session.h"
#include "app/train/run/curves_panel.h"
#include "app/train/run/event_list.h"
#include "app/train/run/train_panels.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/theme/grip_splitter.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

RunView::RunView(TrainingSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      columns_(new GripSplitter(Qt::Horizontal, this)),
      rows_(new GripSplitter(Qt::Vertical, this)),
      curves_(new CurvesPanel(session, this)),
      events_(new EventList(session, this)),
      tabs_(new QTabWidget(this)),
      panels_{curves_} {
  for (const TrainPanelTraits& traits : kTrainPanels) {
    Panel* panel = panels_.emplace_back(traits.make(session));
    const int tab = tabs_->addTab(panel, QString::fromUtf8(traits.title));
    tabs_->setTabToolTip(tab, QString::fromUtf8(traits.toolTip));
  }
  rows_->addWidget(curves_);
  rows_->addWidget(events_);
  rows_->setStretchFactor(0, 1);
  columns_->addWidget(rows_);
  columns_->addWidget(tabs_);
  columns_->setStretchFactor(0, 1);
  columns_->setStretchFactor(1, 1);
  columns_->setStandardSizes({600, 600});
  rows_->setStandardSizes({600, 110});
  auto* column = makeBareLayout<QVBoxLayout>(this, 0);
  column->addWidget(columns_, 1);
  connect(events_, &EventList::eventChosen, curves_, &CurvesPanel::showPlaceOf);
  connect(&session_, &TrainingSession::started, this, &RunView::showFittingTabs);
  showFittingTabs();
}

/// Some tabs are of runs on images alone, some of those on sequences.
void RunView::showFittingTabs() {
  const bool isOfTokens = session_.status().record.config.architecture.task == Task::tokens;
  const int shown = tabs_->currentIndex();
  bool isHidden = false;
  int own = 0;  // The one that only such runs have, which is shown instead of one that hides.
  for (int tab = 0; tab < tabs_->count(); ++tab) {
    const TrainPanelTraits& traits = kTrainPanels[tab];
    const bool isFitting = isOfTokens ? traits.isOfTokens : traits.isOfImages;
    if (isFitting && traits.isOfTokens != traits.isOfImages) own = tab;
    if (tab == shown && !isFitting) isHidden = true;
    tabs_->setTabVisible(tab, isFitting);
  }
  if (isHidden) tabs_->setCurrentIndex(own);
}

void RunView::saveLayout(QSettings& settings) const {
  settings.setValue(u"halves"_s, columns_->saveState());
  settings.setValue(u"rows"_s, rows_->saveState());
  for (const Panel* panel : panels_) panel->saveLayout(settings);
  settings.setValue(u"tab"_s, tabs_->currentIndex());
}

void RunView::restoreLayout(QSettings& settings) {
  columns_->restoreLayout(settings.value(u"halves"_s).toByteArray());
  rows_->restoreLayout(settings.value(u"rows"_s).toByteArray());
  for (Panel* panel : panels_) panel->restoreLayout(settings);
  tabs_->setCurrentIndex(settings.value(u"tab"_s, 0).toInt());
  showFittingTabs();
}

}  // namespace lambda
