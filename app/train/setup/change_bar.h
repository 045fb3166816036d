#pragma once

#include <QFrame>

#include "engine/values/run/run_change.h"

class QLabel;
class QPushButton;

namespace lambda {

/// The change of a run's settings that a person has prepared while it trains: what it changes, what
/// the learning rate becomes, and the buttons to apply or discard it.
class ChangeBar : public QFrame {
  Q_OBJECT

 public:
  explicit ChangeBar(QWidget* parent = nullptr);

  /// `config` is that of the run, `epoch` its position in epochs, `runningEpoch` counted from 1.
  /// The bar is hidden for a request that changes nothing.
  void setRequest(const ChangeRequest& request,
                  const RunConfig& config,
                  double epoch,
                  int runningEpoch);

  /// The request was sent and is not answered yet: a batch is under way.
  void setWaiting(bool waiting);

  /// The training has refused the request.
  void setRefusal(const QString& reason);

 Q_SIGNALS:
  void applyRequested();
  void discardRequested();

 private:
  QLabel* words_;
  QPushButton* apply_;
  QPushButton* discard_;
};

}  // namespace lambda
