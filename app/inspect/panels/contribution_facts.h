#pragma once

#include <QWidget>

#include "engine/values/inspection/inspection.h"

class QLabel;

namespace lambda {

class BalanceBar;

/// The numbers behind the contributions: the proof that they add up to the layer's own output, and
/// the balance of content and position.
class ContributionFacts : public QWidget {
  Q_OBJECT

 public:
  explicit ContributionFacts(QWidget* parent = nullptr);

  /// Null = there is nothing to say.
  void setSnapshot(const InspectionSnapshot* snapshot);

  /// The proof alone, without a balance.
  void setResidual(const ContributionResidual& residual);

  /// "✓ Adds up to the layer's output within 3e-7"
  QString residualText() const;
  QString balanceText() const;

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setProof(const QString& text, const QString& details, const QString& role);
  void showResidual(const ContributionResidual& residual);
  /// The width of the residual where both stand in one line of this width; 0 where they don't fit.
  int besideIn(int width) const;
  void arrange();

  QLabel* residual_;
  BalanceBar* balance_;
};

}  // namespace lambda
