#pragma once

#include "engine/values/theory/theory_experiment.h"
#include "widgets/plots/lines/line_plot.h"

namespace lambda {

/// A figure of a theory experiment: its lines and points, with gaps where a value is not finite or,
/// on a logarithmic axis, not positive. The axes show all values.
class TheoryPlot : public LinePlot {
  Q_OBJECT

 public:
  explicit TheoryPlot(QWidget* parent = nullptr);

  void setFigure(const TheoryFigure& figure);

  const TheoryFigure& figure() const { return figure_; }

  QSize exportSize() const override;
  /// Lines of series, x and y.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  QString placeAt(double x) const override;
  /// The value; where several points have the same x, the range of their values.
  QString valueAt(std::size_t line, std::size_t point) const override;

 private:
  PlotLine lineOf(const TheorySeries& series) const;

  TheoryFigure figure_;
};

}  // namespace lambda
