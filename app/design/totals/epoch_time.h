#pragma once

#include <vector>

#include <QWidget>

#include "engine/values/config/run_config.h"
#include "engine/values/run/throughput_estimate.h"
#include "widgets/work/work.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class MachineService;

/// The duration of an epoch on this machine, measured with real training steps on request. It is
/// shown for the network that was measured, and for changes of it that take equally long; the last
/// few measurements are kept, so that undo shows them again.
class EpochTime : public QWidget {
  Q_OBJECT

 public:
  explicit EpochTime(MachineService& machine, QWidget* parent = nullptr);

  /// The configuration to measure, and why it can't be measured; empty = it can.
  void setConfig(const RunConfig& config, const QString& obstacle = {});

  bool canMeasure() const { return obstacle_.isEmpty(); }

  bool isMeasuring() const { return isMeasuring_; }

  /// Shows only the duration of an epoch; the rest is in the tooltip.
  void setBrief(bool isBrief);

  void measure();
  void cancel();

  /// The shown text, for tests.
  QString text() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Measurement {
    RunConfig config;
    ThroughputEstimate result;
  };

  void keep(const ThroughputEstimate& result);
  /// The result for the present configuration; null where it was not measured.
  const ThroughputEstimate* result() const;
  bool hasFailed() const;
  void end();
  void showState();
  QString resultText() const;
  QString longText() const;
  QString stateText() const;
  QString stateTip() const;

  MachineService& machine_;
  RunConfig config_;
  QString obstacle_;
  bool isBrief_ = false;
  bool isMeasuring_ = false;
  Work measurement_{*this};
  RunConfig measuring_;
  std::vector<Measurement> measurements_;  ///< The oldest first.
  QString failure_;                        ///< Of the measurement of `measuring_`.
  QLabel* caption_;
  QLabel* text_;
  QProgressBar* progress_;
  QPushButton* button_;
};

}  // namespace lambda
