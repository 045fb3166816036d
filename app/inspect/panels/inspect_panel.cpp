#include "app/inspect/panels/inspect_panel.h"

#include <utility>

namespace lambda {

void InspectPanel::setState(const PanelState& state) {
  state_ = state;
  isStale_ = !isInView();
  if (!isStale_) showState(state_);
}

void InspectPanel::saveLayout(QSettings& /*settings*/) const {}

void InspectPanel::restoreLayout(QSettings& /*settings*/) {}

void InspectPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(isStale_, false)) showState(state_);
}

}  // namespace lambda
