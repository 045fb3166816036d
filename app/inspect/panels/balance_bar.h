#pragma once

#include <optional>

#include <QWidget>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The shares of content and position in the output at the query, as one divided bar with its
/// numbers.
class BalanceBar : public QWidget {
  Q_OBJECT

 public:
  explicit BalanceBar(QWidget* parent = nullptr);

  void setBalance(std::optional<PartBalance> balance);
  QString text() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double contentShare() const;

  std::optional<PartBalance> balance_;
};

}  // namespace lambda
