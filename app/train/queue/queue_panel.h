#pragma once

#include <QFrame>

class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace lambda {

class TrainingQueue;

/// The runs that wait to be trained, in their order, with the reason of one that could not start.
/// They can be moved and removed, also by Alt+Up, Alt+Down and Delete; a queue that waits can be
/// continued. Hidden while there are none.
class QueuePanel : public QFrame {
  Q_OBJECT

 public:
  explicit QueuePanel(TrainingQueue& queue, QWidget* parent = nullptr);

  /// Tells of the queue's file, until it is read or written.
  void showFileProblem(const QString& reason);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void showQueue();
  void updateButtons();
  void updateIcons();
  void moveBy(int rows);
  void removeCurrent();

  TrainingQueue& queue_;
  QLabel* title_;
  QLabel* problem_;
  QListWidget* list_;
  QToolButton* up_;
  QToolButton* down_;
  QToolButton* remove_;
  QPushButton* train_;
};

}  // namespace lambda
