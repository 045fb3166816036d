#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include "app/train/process_load.h"

class QLabel;
class QProgressBar;

namespace lambda {

class TrainingSession;

/// The progress of a training for the window's status bar: state, epoch x of y, images per second,
/// time left, and the load of this process on the machine: resident memory, and processor time in
/// cores.
class TrainStatus : public QWidget {
  Q_OBJECT

 public:
  explicit TrainStatus(TrainingSession& session, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void showTraining();
  void showLoad();

  TrainingSession& session_;
  QLabel* state_;
  QProgressBar* progress_;
  QLabel* throughput_;
  QLabel* left_;
  QLabel* load_;
  QTimer loadTimer_;
  QElapsedTimer shownNumbers_;
  ProcessLoad processLoad_;
};

}  // namespace lambda
