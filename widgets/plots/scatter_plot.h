#pragma once

#include <string>
#include <vector>

#include <QString>
#include <QWidget>

#include "widgets/export/exportable.h"
#include "widgets/plots/scatter_picture.h"

namespace lambda {

/// One point per run, its score against its cost, with a line along the Pareto front
/// (paretoFront()). Hovering names a point, a click selects it; left and right move from point to
/// point along x.
class ScatterPlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ScatterPlot(QWidget* parent = nullptr);

  void setPoints(std::vector<ScatterPoint> points);
  void setAxes(const ScatterAxis& x, const ScatterAxis& y);
  /// Emits no signal; empty = none.
  void setSelected(const std::string& key);
  /// The text while there are no points.
  void setEmptyText(const QString& text);

  const std::vector<ScatterPoint>& points() const { return picture_.points; }

  /// The position of a point in the widget's coordinates.
  QPointF positionOf(const ScatterPoint& point) const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Lines of name, x, y and whether the point is on the front.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void pointClicked(const std::string& key);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  const ScatterPoint* pointAt(const QPointF& position) const;
  QString sentenceFor(const ScatterPoint& point) const;
  void hover(const std::string& key);
  void walk(int direction);

  ScatterPicture picture_;
  QString emptyText_;
};

}  // namespace lambda
