#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <QPointF>
#include <QString>

#include "engine/values/experiment/sample_summary.h"
#include "widgets/plots/axes/plot_legend.h"
#include "widgets/plots/axes/plot_view.h"

class QCPErrorBars;
class QCPGraph;
class QCPItemText;

namespace lambda {

struct AccessiblePart;

/// The value of one run at a place on x.
struct RunValue {
  std::string run;  ///< Identifies the run in runClicked().
  double y = 0;

  bool operator==(const RunValue&) const = default;
};

/// The values of several runs at a place on x, and their mean.
struct IntervalPoint {
  std::string key;  ///< Identifies the mean in meanClicked().
  double x = 0;
  std::vector<RunValue> runs;
  SampleSummary summary;  ///< Of `runs`, at least one.

  bool operator==(const IntervalPoint&) const = default;
};

/// Means that a line joins, ascending by x.
struct IntervalLine {
  QString name;  ///< In the legend; empty = it is not named.
  std::vector<IntervalPoint> points;

  bool operator==(const IntervalLine&) const = default;
};

/// How the values of runs and the intervals are drawn.
enum class IntervalLook {
  bands,  ///< Along many places: a light line for each run, a band around the mean.
  bars,   ///< At few places: a dot for each run, a bar through the mean.
};

/// Means over runs with their 95 % intervals, as lines. An interval is drawn where there is one:
/// from two runs on. The lines have the colours of Colors::series in their order, then the same
/// with other dashes.
///
/// Mouse: hovering reads a mean or a run out, a click requests it. Keys: left and right move along
/// a line, up and down to another, Return requests the mean.
class IntervalPlot : public PlotView {
  Q_OBJECT

 public:
  explicit IntervalPlot(IntervalLook look, QWidget* parent = nullptr);

  /// `decimals`: of values of y that are read out. `greatest`: that y can have, where the picture
  /// ends. Values that are not positive are left out along a logarithmic x.
  void setAxes(const PlotAxis& x,
               const PlotAxis& y,
               int decimals,
               std::optional<double> greatest = {});

  void setLines(std::vector<IntervalLine> lines);

  const std::vector<IntervalLine>& lines() const { return lines_; }

  /// Whether the runs are drawn beside the means.
  void setRunsVisible(bool areVisible);

  /// The position of a place of the plot in the widget's coordinates.
  QPointF positionOf(const QPointF& place) const;

  QSize exportSize() const override;
  /// Lines of line, run, x, y, count of runs and the ends of the interval. Those of means have no
  /// run.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void meanClicked(const std::string& key);
  void runClicked(const std::string& run);

 protected:
  bool hasPoints() const override;
  void style(const Colors& colors, const QSize& size, Medium medium) const override;

  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// What is drawn of one line.
  struct Parts {
    QCPGraph* mean = nullptr;
    QCPGraph* low = nullptr;   ///< bands: the ends of the intervals.
    QCPGraph* high = nullptr;  ///< The area between it and `low` is filled.
    QCPErrorBars* bars = nullptr;
    std::vector<QCPGraph*> runs;  ///< bands: a line for each run; bars: one graph of dots.
  };

  /// A mean, or the value of one run.
  struct Place {
    std::size_t line = 0;
    std::size_t point = 0;
    std::optional<std::size_t> run;  ///< In IntervalPoint::runs.

    bool operator==(const Place&) const = default;
  };

  void addBand(Parts& parts, const IntervalLine& line);
  void addRuns(Parts& parts, const IntervalLine& line);
  void addMean(Parts& parts, const IntervalLine& line);
  void fitAxes();
  bool isShown(const IntervalPoint& point) const;
  const IntervalPoint& pointAt(const Place& place) const;
  QPointF coordinatesOf(const Place& place) const;
  std::optional<Place> placeAt(const QPointF& position) const;
  void setCurrent(std::optional<Place> place);
  void request(const Place& place);
  void walk(int lines, int points);
  QString sentenceFor(const Place& place) const;
  AccessiblePart describedLine(std::size_t index) const;

  IntervalLook look_;
  int decimals_ = 1;
  std::optional<double> greatest_;
  bool areRunsVisible_ = true;
  std::vector<IntervalLine> lines_;
  std::vector<Parts> parts_;  ///< [lines]
  std::optional<Place> current_;
  PlotLegend legend_;
  QCPItemText* readout_;
};

}  // namespace lambda
