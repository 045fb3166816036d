#pragma once

class QCustomPlot;

namespace lambda {

struct Colors;

/// The legend of a plot, in rows of its own above the axes.
class PlotLegend {
 public:
  explicit PlotLegend(QCustomPlot& plot) : plot_(plot) {}

  /// Moves the legend above the axes. Called once.
  void place();

  /// Gives it its look in a plot of `width` pixels. A legend without entries is hidden.
  void style(const Colors& colors, double width) const;

  /// The height that it needs in a plot of `width` pixels for the rows after its first.
  int furtherHeight(int width) const;

 private:
  /// All names in one row where they fit, else as many as have the width of the widest.
  int columnsIn(double width) const;

  QCustomPlot& plot_;
};

}  // namespace lambda
