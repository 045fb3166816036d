#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/run/metrics.h"

class QTableWidget;

namespace lambda {

/// The events of a run, the newest on top. Hidden without events.
class RunHistory : public QWidget {
  Q_OBJECT

 public:
  explicit RunHistory(QWidget* parent = nullptr);

  void setEvents(const std::vector<EventRecord>& events);

 private:
  void updateSizes();

  QTableWidget* table_;
};

}  // namespace lambda
