#include "app/inspect/panels/inspect_panel.h"

#include <utility>

#include <QSettings>

#include "widgets/equations/equation_view.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString keyOf(std::size_t equation) {
  return u"equation%1"_s.arg(equation);
}

}  // namespace

void InspectPanel::setState(const PanelState& state) {
  state_ = state;
  isStale_ = !isInView();
  if (!isStale_) showState(state_);
}

EquationView* InspectPanel::addEquation(const Equation& equation, bool open) {
  auto* view = new EquationView;
  view->setEquation(equation);
  view->setOpen(open);
  equations_.push_back({view, open});
  return view;
}

void InspectPanel::saveLayout(QSettings& settings) const {
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    settings.setValue(keyOf(i), equations_[i].view->isOpen());
  }
}

void InspectPanel::restoreLayout(QSettings& settings) {
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const auto& [view, isFirstOpen] = equations_[i];
    view->setOpen(settings.value(keyOf(i), isFirstOpen).toBool());
  }
}

void InspectPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(isStale_, false)) showState(state_);
}

}  // namespace lambda
