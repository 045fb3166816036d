#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

class QPainter;

namespace lambda {

struct Colors;

struct ScatterPoint {
  std::string key;  ///< Identifies the point in setSelected() and pointClicked().
  QString name;     ///< Beside the point and in the CSV.
  double x = 0;     ///< Points with values that are not finite are left out.
  double y = 0;
  int colorIndex = -1;  ///< Index into Colors::series, modulo its size; -1 = the neutral colour.

  bool operator==(const ScatterPoint&) const = default;
};

/// How an axis writes its values.
enum class ScatterUnit {
  percent,  ///< Values of 0..1 as "87.5 %".
  count,    ///< "1.2 M"
  seconds,  ///< "20 min"
};

struct ScatterAxis {
  QString title;  ///< "Parameters"
  ScatterUnit unit = ScatterUnit::count;
  bool logarithmic = false;  ///< Points that are not positive are left out.

  bool operator==(const ScatterAxis&) const = default;
};

/// The indices of the points that no other point beats: none has a smaller or equal x and a greater
/// y, or an equal y at a smaller x. Ascending by x; of equal points only the first. Points that are
/// not finite are left out.
std::vector<std::size_t> paretoFront(const std::vector<ScatterPoint>& points);

/// Round values within a range, about `wanted` of them, ascending.
std::vector<double> ticksFor(const ScatterAxis& axis, double low, double high, int wanted);

/// A value in the notation of an axis.
QString tickText(const ScatterAxis& axis, double value);

/// The content of a scatter plot.
struct ScatterPicture {
  std::vector<ScatterPoint> points;
  ScatterAxis x;
  ScatterAxis y;
  std::string selected;  ///< Key; empty = none.
  std::string hovered;

  bool isShown(const ScatterPoint& point) const;
  bool hasPoints() const;
};

/// The positions of values within `size`.
class ScatterLayout {
 public:
  ScatterLayout(const ScatterPicture& picture, const QSizeF& size);

  const QRectF& area() const { return area_; }

  std::pair<double, double> xRange() const { return x_; }

  std::pair<double, double> yRange() const { return y_; }

  QPointF at(double x, double y) const;

 private:
  QRectF area_;
  std::pair<double, double> x_{0, 1};
  std::pair<double, double> y_{0, 1};
  bool logarithmicX_ = false;
  bool logarithmicY_ = false;
};

void paintScatter(QPainter& painter,
                  const ScatterPicture& picture,
                  const QSizeF& size,
                  const Colors& colors);

}  // namespace lambda
