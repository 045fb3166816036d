#pragma once

#include <optional>
#include <vector>

#include <QPointF>

#include "widgets/plots/axes/plot_legend.h"
#include "widgets/plots/axes/plot_view.h"

class QCPItemStraightLine;

namespace lambda {

struct AccessiblePart;

/// A line through few points, ascending by x.
struct PlotLine {
  QString name = {};  ///< In the legend and in the read-out.
  std::vector<QPointF> points = {};
  int colorIndex = 0;     ///< Index into Colors::series; beyond its end dashed in the same colours.
  bool dotted = false;    ///< Each point has a dot.
  bool filled = false;    ///< The area below it is tinted.
  bool connected = true;  ///< Otherwise only its dots are drawn.
};

/// Lines with a legend, a mark at one place, and a read-out of all lines at the pointer.
class LinePlot : public PlotView {
  Q_OBJECT

 public:
  explicit LinePlot(QWidget* parent = nullptr);

 protected:
  /// Lines without points have no entry in the legend. y begins at 0.
  void setLines(std::vector<PlotLine> lines, double left, double right);

  const std::vector<PlotLine>& lines() const { return lines_; }

  /// The vertical line at a place on x; none = no line.
  void setMark(std::optional<double> place);

  /// The texts of the read-out: the place on x, and the value of one of its lines there.
  virtual QString placeAt(double x) const = 0;
  virtual QString valueAt(std::size_t line, std::size_t point) const;

  /// The index of the point of a line that is nearest to a place on x.
  static std::size_t nearestPoint(const PlotLine& line, double place);

  /// The height that the legend needs in a plot of `width` for the rows after its first.
  int furtherLegendHeight(int width) const;

  bool hasPoints() const override;
  void style(const Colors& colors, const QSize& size, Medium medium) const override;

  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QString readOutAt(double place);
  void hideReadout();
  AccessiblePart describedLine(std::size_t index) const;

  std::vector<PlotLine> lines_;
  PlotLegend legend_;
  std::optional<double> mark_;
  QCPItemStraightLine* markLine_;
  QCPItemStraightLine* crosshair_;  ///< Visible while there is a read-out.
};

}  // namespace lambda
