#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QIcon>
#include <QTableView>

#include "engine/values/run/metrics.h"

namespace lambda {

class TrainingSession;

/// The events of a run: time, step and text. Its data are the events of the session's metrics.
class EventModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kTime, kStep, kText, kColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /// `all` are the events so far, including those already in the model.
  void setEvents(const std::vector<EventRecord>& all);
  void clear();

  const EventRecord& at(int row) const { return events_.at(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<EventRecord> events_;
};

/// The events of the training under way as a list whose end stays visible until somebody scrolls.
class EventList : public QTableView {
  Q_OBJECT

 public:
  explicit EventList(TrainingSession& session, QWidget* parent = nullptr);

  QSize sizeHint() const override;

 Q_SIGNALS:
  /// An event was clicked or reached by key.
  void eventChosen(const lambda::EventRecord& event);

 protected:
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void catchUp();
  void updateSizes();

  TrainingSession& session_;
  EventModel* model_;
};

}  // namespace lambda
