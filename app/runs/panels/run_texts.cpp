#include "app/runs/panels/run_texts.h"

#include <QVBoxLayout>

#include "app/generated/text_samples_panel.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/theme/theme.h"

namespace lambda {

RunTexts::RunTexts(const RunsContext& context) : runs_(context.runs), panel_(new TextSamplesPanel) {
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(panel_);
  connect(
      &context.library, &RunLibrary::runChanged, this, [this](const std::filesystem::path& run) {
        if (run == run_) setCurrentRun(run);
      });
}

void RunTexts::setCurrentRun(const std::filesystem::path& run) {
  run_ = run;
  const int index = runs_.indexOf(run);
  const RunRow* row = index < 0 ? nullptr : &runs_.row(index);
  if (row && row->hasRecord()) {
    panel_->showRun(row->run.path, row->run.record.config, row->isHeld());
  } else {
    panel_->showRun({}, {}, false);
  }
}

}  // namespace lambda
