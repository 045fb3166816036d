#pragma once

#include <QWidget>

class QSettings;

namespace lambda {

class GripSplitter;
class CurvesPanel;
class EventList;
class LivePanel;
class TrainingSession;

/// A training in progress: curves above the events at the left, the live inspection of a layer at
/// the right.
class RunView : public QWidget {
  Q_OBJECT

 public:
  explicit RunView(TrainingSession& session, QWidget* parent = nullptr);

  CurvesPanel& curves() { return *curves_; }

  LivePanel& live() { return *live_; }

  EventList& events() { return *events_; }

  void saveLayout(QSettings& settings) const;
  void restoreLayout(QSettings& settings);

 private:
  GripSplitter* columns_;
  GripSplitter* rows_;
  CurvesPanel* curves_;
  EventList* events_;
  LivePanel* live_;
};

}  // namespace lambda
