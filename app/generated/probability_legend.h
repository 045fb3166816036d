#pragma once

#include <QWidget>

namespace lambda {

/// The colours of the characters of a GeneratedText, with the probabilities at their ends.
class ProbabilityLegend : public QWidget {
 public:
  explicit ProbabilityLegend(QWidget* parent = nullptr);

  QSize sizeHint() const override;

  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace lambda
