#include "app/runs/panels/run_histograms.h"

#include <QVBoxLayout>

#include "app/histograms/histograms_panel.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

RunHistograms::RunHistograms(const RunsContext& context)
    : runs_(context.runs), panel_(new HistogramsPanel) {
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(panel_);
  connect(
      &context.library, &RunLibrary::runChanged, this, [this](const std::filesystem::path& run) {
        if (run == run_) setCurrentRun(run);
      });
}

void RunHistograms::setCurrentRun(const std::filesystem::path& run) {
  run_ = run;
  const int index = runs_.indexOf(run);
  const RunRow* row = index < 0 ? nullptr : &runs_.row(index);
  const bool hasRecord = row && row->hasRecord();
  const QString without =
      row && row->isImported()
          ? u"Of the logs of other programs only the curves are shown."_s
          : u"Select one run: its weights, gradients, activations and lambda norms appear here "
            "over the steps."_s;
  panel_->setSource(
      hasRecord ? HistogramSource{.run = row->run.path,
                                  .isRecorded = row->run.record.config.monitoring.histograms,
                                  .isTraining = row->isHeld()}
                : HistogramSource{},
      without);
}

void RunHistograms::saveLayout(QSettings& settings) const {
  panel_->saveLayout(settings);
}

void RunHistograms::restoreLayout(QSettings& settings) {
  panel_->restoreLayout(settings);
}

}  // namespace lambda
