#pragma once

#include <QFrame>

#include "engine/values/architecture/cost.h"
#include "engine/values/config/run_config.h"

namespace lambda {

class EpochTime;
class MachineService;
class TotalCell;

/// The total cost of a network, each number with its difference to the last saved version. In a
/// narrow bar the texts are shorter, and only then in several lines.
class TotalsBar : public QFrame {
  Q_OBJECT

 public:
  explicit TotalsBar(MachineService& machine, QWidget* parent = nullptr);

  /// `cost` is that of `config`; `canTrain` is false where it has errors.
  void show(const RunConfig& config,
            const NetworkCost& cost,
            const RunConfig& saved,
            bool canTrain);

  EpochTime& epochTime() { return *time_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showPattern(const QString& pattern);
  void fit();
  void setBrief(bool isBrief);

  RunConfig saved_;
  NetworkCost savedCost_;
  int batchSize_ = 0;
  QString example_ = QStringLiteral("image");  ///< What the network learns from.
  TotalCell* pattern_;
  TotalCell* parameters_;
  TotalCell* flops_;
  TotalCell* activations_;
  TotalCell* memory_;
  EpochTime* time_;
};

}  // namespace lambda
