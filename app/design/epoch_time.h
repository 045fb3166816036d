#pragma once

#include <optional>

#include <QWidget>

#include "engine/values/config/run_config.h"
#include "engine/values/run/throughput_estimate.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class InspectionSession;

/// The duration of an epoch on this machine: measured with real training steps on request, and
/// marked as outdated once the configuration has changed so that the duration would differ.
class EpochTime : public QWidget {
  Q_OBJECT

 public:
  explicit EpochTime(InspectionSession& inspection, QWidget* parent = nullptr);

  /// The configuration to measure, and why it can't be measured; empty = it can.
  void setConfig(const RunConfig& config, const QString& obstacle = {});

  bool canMeasure() const { return obstacle_.isEmpty(); }

  bool isMeasuring() const { return id_ != 0; }

  /// Whether the shown time belongs to an earlier configuration.
  bool isOutdated() const;

  /// Shows only the duration of an epoch; the rest is in the tooltip.
  void setBrief(bool isBrief);

  void measure();
  void cancel();

  /// The shown text, for tests.
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
  quint64 id_ = 0;  ///< Number of the measurement under way; 0 = none.
  RunConfig measuring_;
  std::optional<ThroughputEstimate> result_;
  RunConfig measured_;
  QString failure_;
  QLabel* caption_;
  QLabel* text_;
  QProgressBar* progress_;
  QPushButton* button_;
};

/// Whether an epoch of both takes equally long: names, seeds, rates and the number of epochs make
/// no difference.
bool isEquallyFast(const RunConfig& a, const RunConfig& b);

}  // namespace lambda
