#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QColor>
#include <QString>
#include <QWidget>

#include "widgets/export/exportable.h"

class QAction;

namespace lambda {

/// The quantity along x, the same in all panels.
enum class CurveAxis { steps, epochs, time };

/// Points of a series; the lists are equally long. `epoch` (fractional) and `seconds` (training
/// time) are empty where they are not known: the series is not shown along that axis.
struct CurveSamples {
  std::vector<double> step;
  std::vector<double> epoch;
  std::vector<double> seconds;
  std::vector<double> y;  ///< NaN and infinities are shown as markers at the edge.
};

struct CurveSeries {
  std::string key;     ///< Identifies the series in append(), setHighlighted() and seriesClicked().
  std::string label;   ///< At the line's end and in the read-out, for example "validation".
  int panel = 0;       ///< Index of the panel it is drawn in.
  int colorIndex = 0;  ///< Index into Colors::series, modulo its size.
  QColor color = {};   ///< Replaces `colorIndex` where it is valid; does not change with the theme.
  /// Steps that decrease begin a branch: the points that they replace are drawn dim and apart.
  CurveSamples samples = {};
  bool faintRaw = false;  ///< Many noisy points: drawn faint, their moving average as the line.
  bool points = false;    ///< Few points: each has a dot.
  Qt::PenStyle penStyle = Qt::SolidLine;
};

/// One of the plots that stand above each other.
struct CurvePanel {
  QString title;         ///< "Loss"
  bool percent = false;  ///< Values of 0..1 are written in per cent.
  /// Logarithmic while the lines span more than two decades, until setLogScale() decides it.
  bool automaticLog = false;
  /// A value in another unit, which the read-out says beside it; may be empty.
  std::function<QString(double value)> inWords = {};
};

enum class CurveMarkKind { learningRate, checkpoint, resumed, warning, changed };

/// Something that happened at a step: a small mark at the top edge, with `text` as its tooltip. A
/// change of the run's settings is a line through all panels with the text beside it.
struct CurveMark {
  double step = 0;
  double epoch = 0;
  double seconds = 0;
  CurveMarkKind kind = CurveMarkKind::checkpoint;
  QString text;

  bool operator==(const CurveMark&) const = default;
};

/// Curves over the steps, epochs or time of one or many runs, in panels that share x and one
/// crosshair.
///
/// The smoothed line is an exponential moving average divided by 1 - s^t, over all points in their
/// order; only the drawn points are thinned out, to the extremes of each column of pixels. Values
/// that are not finite are red marks at the edge.
///
/// Mouse: the wheel zooms at the pointer (with Shift along x alone, with Ctrl along y alone),
/// dragging a box zooms into it, dragging with the middle button or with Space held moves, a double
/// click shows everything. Keys: left, right, up, down move; + and - zoom; 0 or F show everything;
/// Escape ends a drag. Zooming and moving turn setFollow() off; while it is on, the view always
/// contains all points.
class CurvePlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit CurvePlot(std::vector<CurvePanel> panels, QWidget* parent = nullptr);
  ~CurvePlot() override;

  /// Changes titles and units of the panels, of which there are as many as before.
  void setPanels(std::vector<CurvePanel> panels);

  /// Replaces all series. The view stays, unless it follows the points.
  void setSeries(std::vector<CurveSeries> series);

  /// Adds points at the end of the series `key`; unknown keys are ignored.
  void append(const std::string& key, const CurveSamples& samples);

  void setMarks(std::vector<CurveMark> marks);

  void setAxis(CurveAxis axis);
  CurveAxis axis() const;

  /// Weight s of the past in the moving average, 0 (none) to 0.999.
  void setSmoothing(double weight);
  double smoothing() const;

  void setLogScale(int panel, bool on);
  bool isLogScale(int panel) const;

  /// Whether setLogScale() has decided the scale.
  bool isLogScaleChosen(int panel) const;

  /// Leaves the scale of a panel to its lines again, where its options allow that.
  void releaseLogScale(int panel);

  void setFollow(bool on);
  bool follow() const;

  /// Moves the crosshair to an event, and the view where that is outside.
  void showPlace(const CurveMark& where);

  /// The position of the crosshair, in units of axis(); none while the pointer is elsewhere.
  std::optional<double> crosshair() const;

  /// Draws all other series dim; empty = none is dim.
  void setHighlighted(const std::vector<std::string>& keys);

  /// The text while there are no points.
  void setEmptyText(const QString& text);

  /// Stem of exported files.
  void setExportName(const QString& name);

  /// Shows everything and follows the points again.
  QAction* fitAction() const;

  /// Checkable; keeps everything in view while points arrive.
  QAction* followAction() const;

  /// The shown range of x, in units of axis(), for tests and linked views.
  std::pair<double, double> visibleRange() const;
  void setVisibleRange(double low, double high);

  /// Duration of the last drawing, for owners that limit how often the plot is drawn.
  double drawMilliseconds() const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// All points of all series: series, step, epoch, seconds, value, smoothed.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void axisChanged(lambda::CurveAxis axis);
  void smoothingChanged(double weight);
  void logScaleChanged(int panel, bool on);
  void visibleRangeChanged(double low, double high);
  /// A line or its label was clicked.
  void seriesClicked(const std::string& key);
  /// The space bar was pressed and released without moving the view.
  void spaceTapped();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;

 private:
  class Private;

  std::unique_ptr<Private> d_;
};

}  // namespace lambda
