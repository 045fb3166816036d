#pragma once

#include <QWidget>

class QSettings;
class QTabWidget;

namespace lambda {

class GripSplitter;
class CurvesPanel;
class EventList;
class HistogramsPanel;
class LivePanel;
class TrainingSession;

/// A training in progress: curves above the events at the left; at the right, as tabs, the live
/// inspection of a layer and the histograms of all layers.
class RunView : public QWidget {
  Q_OBJECT

 public:
  explicit RunView(TrainingSession& session, QWidget* parent = nullptr);

  CurvesPanel& curves() { return *curves_; }

  LivePanel& live() { return *live_; }

  HistogramsPanel& histograms() { return *histograms_; }

  /// The tabs at the right.
  QTabWidget& tabs() { return *tabs_; }

  EventList& events() { return *events_; }

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 private:
  void showHistograms();

  TrainingSession& session_;
  GripSplitter* columns_;
  GripSplitter* rows_;
  CurvesPanel* curves_;
  EventList* events_;
  QTabWidget* tabs_;
  LivePanel* live_;
  HistogramsPanel* histograms_;
};

}  // namespace lambda
