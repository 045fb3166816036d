#pragma once

#include <memory>
#include <string>
#include <vector>

#include <QColor>
#include <QString>
#include <QWidget>

#include "widgets/export/exportable.h"

namespace lambda {

struct ScatterPoint {
  std::string key;  ///< Names the point in setSelected() and pointClicked().
  QString name;     ///< Beside the point under the pointer and in the CSV.
  double x = 0;     ///< Points with values that are not finite are left out.
  double y = 0;
  int colorIndex = -1;  ///< Into Colors::series, counted around; -1 = without a colour of its own.

  bool operator==(const ScatterPoint&) const = default;
};

struct ScatterAxis {
  QString title;  ///< "Parameters"
  bool logarithmic = false;
  bool percent = false;  ///< Values of 0..1 are written in per cent.

  bool operator==(const ScatterAxis&) const = default;
};

/// The indices of the points that no other point beats: none has a smaller or equal x and a greater
/// y, or an equal y at a smaller x. Ascending by x; points that are not finite are not among them.
std::vector<std::size_t> paretoFront(const std::vector<ScatterPoint>& points);

/// One point a run, what it reaches against what it costs, with a line along the points that are
/// worth their cost (paretoFront()). Hovering names a point, a click or Return selects it; left and
/// right walk from point to point.
class ScatterPlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ScatterPlot(QWidget* parent = nullptr);
  ~ScatterPlot() override;

  void setPoints(std::vector<ScatterPoint> points);
  void setAxes(const ScatterAxis& x, const ScatterAxis& y);
  /// Empty = none.
  void setSelected(const std::string& key);
  /// What to read while there are no points.
  void setEmptyText(const QString& text);

  /// Where a point is drawn, in the widget's coordinates.
  QPointF positionOf(const std::string& key) const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// name, x, y, on the line.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void pointClicked(const std::string& key);

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  class Private;

  std::unique_ptr<Private> d_;
};

}  // namespace lambda
