#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <QString>

#include "widgets/plots/axes/plot_view.h"

class QCPGraph;

namespace lambda {

class ScatterDots;

struct ScatterPoint {
  std::string key;  ///< Identifies the point in setSelected() and pointClicked().
  QString name;     ///< Beside the point and in the CSV.
  double x = 0;     ///< Points with values that are not finite are left out.
  double y = 0;
  int colorIndex = -1;  ///< Index into Colors::series, modulo its size; -1 = the neutral colour.

  bool operator==(const ScatterPoint&) const = default;
};

/// Which values of a quantity are better.
enum class Better { higher, lower };

/// Which values are better along each axis: usually x is a cost.
struct BetterValues {
  Better x = Better::lower;
  Better y = Better::higher;

  bool operator==(const BetterValues&) const = default;
};

/// The indices of the points that no other point beats: none has a better or equal x and a better
/// y, or an equal y at a better x. From the best x to the worst; of equal points only the first.
/// Points that are not finite are left out.
std::vector<std::size_t> paretoFront(const std::vector<ScatterPoint>& points,
                                     BetterValues better = {});

/// One point per run or network, a measure against its cost, with a line along the Pareto front
/// (paretoFront()).
///
/// Mouse: hovering names a point, a click selects it; the wheel zooms at the pointer (with Shift
/// along x alone, with Ctrl along y alone), dragging a box zooms into it, a double click shows
/// everything. Keys: left and right move from point to point along x; + and - zoom; 0 or F show
/// everything.
class ScatterPlot : public PlotView {
  Q_OBJECT

 public:
  explicit ScatterPlot(QWidget* parent = nullptr);

  /// Shows everything, where the points or the axes are others than before.
  void setPoints(std::vector<ScatterPoint> points);
  /// On a logarithmic axis, points that are not positive are left out.
  void setAxes(const PlotAxis& x, const PlotAxis& y, BetterValues better = {});
  /// Emits no signal; empty = none.
  void setSelected(const std::string& key);

  const std::vector<ScatterPoint>& points() const { return points_; }

  /// The position of a point in the widget's coordinates.
  QPointF positionOf(const ScatterPoint& point) const;

  QSize exportSize() const override;
  /// Lines of name, x, y and whether the point is on the front.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void pointClicked(const std::string& key);

 protected:
  bool hasPoints() const override;
  void style(const Colors& colors, const QSize& size, Medium medium) const override;

  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectMouse();
  bool isShown(const ScatterPoint& point) const;
  const ScatterPoint* pointAt(const QPointF& position) const;
  QString sentenceFor(const ScatterPoint& point) const;
  void choose(std::string key);
  void hover(const std::string& key);
  void walk(int direction);
  void zoom(double factor);
  void fit();
  void updateDots();

  std::vector<ScatterPoint> points_;
  BetterValues better_;
  std::vector<std::size_t> front_;  ///< Of the shown points.
  std::string selected_;
  std::string hovered_;
  QCPGraph* line_;  ///< Along the front.
  ScatterDots* dots_;
};

}  // namespace lambda
