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
/// continued. Says where the queue belongs to another studio or its file has a problem; hidden
/// while there is nothing to show.
class QueuePanel : public QFrame {
  Q_OBJECT

 public:
  explicit QueuePanel(TrainingQueue& queue, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showQueue();
  void fillList();
  void updateButtons();
  void updateIcons();
  void moveBy(int rows);
  void removeCurrent();

  TrainingQueue& queue_;
  QLabel* title_;
  QLabel* owner_;
  QFrame* problemRow_;
  QLabel* problem_;
  QListWidget* list_;
  QToolButton* up_;
  QToolButton* down_;
  QToolButton* remove_;
  QToolButton* dismiss_;
  QPushButton* train_;
};

}  // namespace lambda
