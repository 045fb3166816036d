#pragma once

#include <vector>

#include <QTabWidget>

#include "app/session/panel.h"

namespace lambda {

class GripSplitter;
class CurvesPanel;
class EventList;
class TrainingSession;

/// A training in progress: curves above the events at the left; at the right, as tabs, the panels
/// of kTrainPanels.
class RunView : public QWidget {
  Q_OBJECT

 public:
  explicit RunView(TrainingSession& session, QWidget* parent = nullptr);

  CurvesPanel& curves() { return *curves_; }

  /// The panel of a class, among the tabs.
  template <class Wanted>
  Wanted& panel() const {
    return *tabs_->findChild<Wanted*>();
  }

  /// The tabs at the right.
  QTabWidget& tabs() { return *tabs_; }

  EventList& events() { return *events_; }

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 private:
  void showFittingTabs();

  TrainingSession& session_;
  GripSplitter* columns_;
  GripSplitter* rows_;
  CurvesPanel* curves_;
  EventList* events_;
  QTabWidget* tabs_;
  std::vector<Panel*> panels_;  ///< The curves, and those of the tabs.
};

}  // namespace lambda
