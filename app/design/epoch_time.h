#pragma once

#include <optional>

#include <QWidget>

#include "engine/values/run_config.h"
#include "engine/values/throughput_estimate.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class InspectionSession;

/// How long an epoch takes on this machine: measured with real training steps on request, and
/// marked once the configuration has changed so that it would take another time.
class EpochTime : public QWidget {
  Q_OBJECT

 public:
  explicit EpochTime(InspectionSession& inspection, QWidget* parent = nullptr);

  /// What is to be measured, and why it can't be; empty = it can.
  void setConfig(const RunConfig& config, const QString& obstacle = {});

  bool canMeasure() const { return obstacle_.isEmpty(); }

  bool isMeasuring() const { return id_ != 0; }

  /// Whether the shown time is that of an earlier configuration.
  bool isOutdated() const;

  /// Says only how long an epoch takes; the rest stands in the tooltip.
  void setBrief(bool isBrief);

  void measure();
  void cancel();

  /// What is shown, for tests.
  QString text() const;

 Q_SIGNALS:
  void changed();

 private:
  void showState();
  QString resultText() const;
  QString longText() const;
  QString stateText() const;
  QString stateTip() const;

  InspectionSession& inspection_;
  RunConfig config_;
  QString obstacle_;
  bool isBrief_ = false;
  quint64 id_ = 0;  ///< Of the measurement under way; 0 = none.
  RunConfig measuring_;
  std::optional<ThroughputEstimate> result_;
  RunConfig measured_;
  QString failure_;
  QLabel* caption_;
  QLabel* text_;
  QProgressBar* progress_;
  QPushButton* button_;
};

/// Whether an epoch of both takes equally long: names, seeds, rates and the number of epochs do not
/// matter.
bool isEquallyFast(const RunConfig& a, const RunConfig& b);

}  // namespace lambda
