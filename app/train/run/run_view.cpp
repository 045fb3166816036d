#include "app/train/run/run_view.h"

#include <QSettings>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/histograms/histograms_panel.h"
#include "app/session/training/training_session.h"
#include "app/train/live/live_panel.h"
#include "app/train/run/curves_panel.h"
#include "app/train/run/event_list.h"
#include "widgets/plots/curves/curve_toolbar.h"
#include "widgets/theme/grip_splitter.h"

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
      live_(new LivePanel(session, this)),
      histograms_(new HistogramsPanel(this)) {
  tabs_->addTab(live_, u"Lambda layers"_s);
  tabs_->addTab(histograms_, u"Histograms"_s);
  tabs_->setTabToolTip(0, u"Lambda matrix and position embeddings of a layer with one image"_s);
  tabs_->setTabToolTip(
      1, u"Weights, gradients, activations and lambda norms of each layer over the steps"_s);
  rows_->addWidget(curves_);
  rows_->addWidget(events_);
  rows_->setStretchFactor(0, 1);
  columns_->addWidget(rows_);
  columns_->addWidget(tabs_);
  columns_->setStretchFactor(0, 1);
  columns_->setStretchFactor(1, 1);
  columns_->setStandardSizes({600, 600});
  rows_->setStandardSizes({600, 110});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->setSpacing(0);
  column->addWidget(columns_, 1);
  connect(events_, &EventList::eventChosen, curves_, &CurvesPanel::showPlaceOf);
  connect(&session, &TrainingSession::started, this, &RunView::showHistograms);
  connect(&session, &TrainingSession::stateChanged, this, &RunView::showHistograms);
  showHistograms();
}

void RunView::showHistograms() {
  const TrainingStatus& status = session_.status();
  histograms_->setSource({.run = status.run,
                          .isRecorded = status.record.config.monitoring.histograms,
                          .isTraining = session_.isBusy()},
                         u"Start a training: its weights, gradients, activations and lambda norms "
                         "appear here over the steps."_s);
}

void RunView::saveLayout(QSettings& settings) const {
  settings.setValue(u"halves"_s, columns_->saveState());
  settings.setValue(u"rows"_s, rows_->saveState());
  curves_->saveLayout(settings);
  live_->saveLayout(settings);
  histograms_->saveLayout(settings);
  settings.setValue(u"tab"_s, tabs_->currentIndex());
}

void RunView::restoreLayout(QSettings& settings) {
  columns_->restoreLayout(settings.value(u"halves"_s).toByteArray());
  rows_->restoreLayout(settings.value(u"rows"_s).toByteArray());
  curves_->restoreLayout(settings);
  live_->restoreLayout(settings);
  histograms_->restoreLayout(settings);
  tabs_->setCurrentIndex(settings.value(u"tab"_s, 0).toInt());
}

}  // namespace lambda
