#include "app/inspect/compare/compare_mode.h"

#include <utility>

#include "app/inspect/compare/comparison.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/theme/fitted_area.h"

namespace lambda {

CompareMode::CompareMode(TrainingSession& training, CheckpointService& checkpoints, QObject* parent)
    : InspectMode(parent),
      comparison_(new Comparison(training, checkpoints)),
      area_(new FittedArea(*comparison_, false)) {
  connect(comparison_, &Comparison::refused, this, [this](const QString& reason) {
    Q_EMIT told(reason, true);
  });
}

void CompareMode::setRuns(const std::vector<RunSummary>& runs) {
  comparison_->setRuns(runs);
}

void CompareMode::setLive(const std::optional<InspectionSource>& live) {
  comparison_->setLive(live);
}

void CompareMode::setCheckedRuns(std::vector<std::filesystem::path> runs) {
  checked_ = std::move(runs);
}

InspectMode::Parts CompareMode::parts() {
  return {.view = area_, .controls = &comparison_->controls()};
}

void CompareMode::setSource(const InspectionSource& source) {
  source_ = source;
}

void CompareMode::begin(const InspectSelection& selection) {
  const InspectableLayer* layer = selection.layer();
  comparison_->begin(source_, checked_, layer ? layer->name : std::string());
  if (const std::optional<Cell> query = selection.query(); layer && query) {
    comparison_->setQuery((query->row + 0.5) / layer->height, (query->column + 0.5) / layer->width);
  }
}

void CompareMode::show(const InspectSelection& selection) {
  comparison_->setImage(selection.request());
}

void CompareMode::setInView(bool isInView) {
  comparison_->setActive(isInView);
}

QString CompareMode::status() const {
  return {};
}

}  // namespace lambda
