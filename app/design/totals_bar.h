#pragma once

#include <QFrame>

#include "engine/values/cost.h"
#include "engine/values/run_config.h"

namespace lambda {

class EpochTime;
class InspectionSession;
class TotalCell;

/// What a network costs as a whole, each number with its difference to the last saved version.
class TotalsBar : public QFrame {
  Q_OBJECT

 public:
  explicit TotalsBar(InspectionSession& inspection, QWidget* parent = nullptr);

  /// `cost` is that of `config`; `canTrain` is false where it has errors.
  void show(const RunConfig& config,
            const NetworkCost& cost,
            const RunConfig& saved,
            bool canTrain);

  EpochTime& epochTime() { return *time_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  RunConfig saved_;
  NetworkCost savedCost_;
  TotalCell* pattern_;
  TotalCell* parameters_;
  TotalCell* flops_;
  TotalCell* activations_;
  TotalCell* memory_;
  EpochTime* time_;
};

/// Values a parameter that an optimiser keeps: 1 for SGD, 2 for Adam.
int stateCopiesOf(OptimizerKind kind);

}  // namespace lambda
