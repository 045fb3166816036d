#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QColor>
#include <QRect>

#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/decimation.h"
#include "widgets/plots/curves/series_history.h"

class QCPAxis;
class QCPAxisRect;
class QCPCurve;
class QCPGraph;
class QCustomPlot;

namespace lambda {

struct Colors;

/// The content of a CurvePlot as objects of QCustomPlot: the panels with their axes, the lines, and
/// the visible ranges. It handles coordinates and colours; its owner handles mouse and keys.
class CurveScene {
 public:
  struct Panel {
    CurvePanel options;
    QCPAxisRect* rect = nullptr;
    QCPAxis* x = nullptr;
    QCPAxis* y = nullptr;
    bool logarithmic = false;
    bool isLogarithmicChosen = false;  ///< By a person, not by the lines.
  };

  struct Series {
    CurveSeries options;  ///< The series without its samples.
    SeriesHistory history;
    QCPGraph* raw = nullptr;     ///< Null unless options.faintRaw.
    QCPGraph* casing = nullptr;  ///< An edge around the line, which parts it from those below.
    QCPGraph* line = nullptr;
    QCPGraph* lone = nullptr;      ///< Dots for points without a neighbour to connect to.
    QCPCurve* branches = nullptr;  ///< The points of abandoned branches.
    std::vector<PlotPoint> drawn;  ///< The points of the line as it was last drawn.
    bool dim = false;
  };

  CurveScene(QCustomPlot& plot, std::vector<CurvePanel> panels);

  /// Changes titles and units; there are as many panels as before.
  void setPanels(std::vector<CurvePanel> panels);

  const std::vector<Panel>& panels() const { return panels_; }

  const std::vector<Series>& series() const { return series_; }

  const std::vector<CurveMark>& marks() const { return marks_; }

  CurveAxis axis() const { return axis_; }

  double smoothing() const { return smoothing_; }

  const Colors& colors() const { return *colors_; }

  QColor colorOf(const Series& series) const;

  /// The position of a mark on the axis.
  double placeOf(const CurveMark& mark) const;

  bool hasPoints() const;

  void setSeries(std::vector<CurveSeries> series);
  void append(const std::string& key, const CurveSamples& samples);

  void setMarks(std::vector<CurveMark> marks) { marks_ = std::move(marks); }

  void setAxis(CurveAxis axis);
  void setSmoothing(double weight);
  void setLogarithmic(int panel, bool on);
  void setLogarithmicChosen(int panel, bool isChosen);

  /// Whether the lines of a panel span more than two decades.
  bool spansDecades(int panel) const;

  void setHighlighted(const std::vector<std::string>& keys);
  void setColors(const Colors& colors);

  /// The width for the texts at the ends of lines.
  void setRightMargin(int pixels);

  /// The approximate height of a panel, which limits the number of ticks.
  void setPanelHeight(double pixels);

  /// Height above the first panel where marks are drawn.
  static constexpr int kMarkLane = 8;

  /// Shows the whole range of the points.
  void fit();

  std::pair<double, double> xRange() const;
  void setXRange(double low, double high);
  void setYRange(int panel, double low, double high);

  /// Zooms about a point in pixels; factors below 1 show less. `panel` -1 leaves y unchanged in all
  /// panels.
  void zoom(double xFactor, double yFactor, int panel, const QPointF& pixel);

  /// Moves the view by pixels.
  void pan(int panel, const QPointF& pixels);

  /// The panel at a point in pixels; -1 = none.
  int panelAt(const QPointF& pixel) const;
  QRect panelRect(int panel) const;
  double xAt(double pixel) const;
  double xPixel(double place) const;
  double yAt(int panel, double pixel) const;
  double yPixel(int panel, double value) const;

  /// The series whose line passes within a few pixels; null = none.
  const Series* seriesNear(const QPointF& pixel) const;

  /// Gives the lines the points to draw for the current ranges and sizes. Must be called after each
  /// layout.
  void refreshLines();

 private:
  void addPanel(CurvePanel options, int row, int count);
  void addGraphs(Series& series);
  void styleGraphs(Series& series);
  void refresh(Series& series);
  void styleForCrowding(Series& series, int columns);
  void styleAxes();
  void limitX(double& low, double& high) const;
  std::optional<std::pair<double, double>> xExtent() const;
  std::pair<double, double> yExtent(int panel) const;

  QCustomPlot& plot_;
  std::vector<Panel> panels_;
  std::vector<Series> series_;
  std::vector<CurveMark> marks_;
  CurveAxis axis_ = CurveAxis::steps;
  double smoothing_ = 0;
  const Colors* colors_;
  int rightMargin_ = 0;
  int tickCount_ = 4;  ///< Approximate number along y.
};

}  // namespace lambda
