#pragma once

#include <utility>

#include <QString>
#include <QWidget>

#include "widgets/export/exportable.h"
#include "widgets/plots/axes/axis_text.h"

class QCPAxis;
class QCustomPlot;
class QLabel;

namespace lambda {

struct PlotAxis {
  QString title;  ///< "Parameters"
  ValueUnit unit = ValueUnit::number;
  bool logarithmic = false;

  bool operator==(const PlotAxis&) const = default;
};

/// A plot with one pair of axes, with the axes, ticks, colours and exports of the curves. Its
/// subclasses fill it with lines and points, and handle the mouse.
class PlotView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  /// The text while there is nothing to draw.
  void setEmptyText(const QString& text);

  /// Stem of exported files.
  void setExportName(const QString& name) { exportName_ = name; }

  /// What an exported figure shows, above it.
  void setExportCaption(const QString& caption) { exportCaption_ = caption; }

  QString exportName() const override { return exportName_; }

  QString exportCaption() const override { return exportCaption_; }

  QSize exportSize() const override { return {480, 260}; }

  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;

 protected:
  /// Where a plot is drawn: on the screen it may leave out what stands beside it there.
  enum class Medium { screen, file };

  explicit PlotView(QWidget* parent);

  virtual bool hasPoints() const = 0;

  /// Gives all that is drawn its colours, and its looks in `size`.
  virtual void style(const Colors& colors, const QSize& size, Medium medium) const;

  void setAxes(const PlotAxis& x, const PlotAxis& y);

  const PlotAxis& axisOfX() const { return xAxis_; }

  const PlotAxis& axisOfY() const { return yAxis_; }

  QCustomPlot& plot() const { return *plot_; }

  QCPAxis& x() const;
  QCPAxis& y() const;

  /// A place of the plot in the widget's pixels, and back.
  QPointF toPixels(const QPointF& place) const;
  QPointF fromPixels(const QPointF& pixel) const;

  /// Draws it soon.
  void redraw();
  /// Draws it, so that places in pixels are those of the present points.
  void redrawNow() const;

  void resizeEvent(QResizeEvent* event) override;

 private:
  QCustomPlot* plot_;
  QLabel* empty_;
  PlotAxis xAxis_;
  PlotAxis yAxis_;
  QString exportName_;
  QString exportCaption_;
};

}  // namespace lambda
