#pragma once

#include <utility>
#include <vector>

#include "widgets/plots/lines/line_plot.h"

namespace lambda {

/// A small preview of the learning rate over a run. It draws points; the owner samples the
/// schedule.
class LearningRatePlot : public LinePlot {
  Q_OBJECT

 public:
  explicit LearningRatePlot(QWidget* parent = nullptr);

  /// (epoch, learning rate), ascending by epoch. `epochs`: the run's length, the end of x.
  void setCurve(const std::vector<std::pair<double, double>>& curve, int epochs);

  /// The current position of the run, in epochs; below 0 = none.
  void setPosition(double epoch);

  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  QString placeAt(double x) const override;
  QString valueAt(std::size_t line, std::size_t point) const override;
};

}  // namespace lambda
