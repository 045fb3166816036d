#pragma once

#include <optional>
#include <vector>

#include <QColor>
#include <QString>
#include <QWidget>

#include "widgets/plots/curves/curve_scene.h"

namespace lambda {

/// A line of the read-out: a series at the crosshair.
struct ReadoutRow {
  int panel = 0;
  QColor color;
  QString label;
  double value = 0;           ///< The value of the drawn line, smoothed where the line is.
  std::optional<double> raw;  ///< The value before smoothing, where it differs from the line.
  bool percent = false;
  double x = 0;  ///< Of the point, in units of the axis.
};

/// The series at a place on the axis, by panel and in descending order of value; a series that
/// ended before it or begins after it has no row.
std::vector<ReadoutRow> readoutRows(const CurveScene& scene, double place);

/// A layer over the plot that draws what follows the pointer: the crosshair through all panels, the
/// card with the values there, and the box of a zoom. Mouse events pass through it.
class CurveReadout : public QWidget {
  Q_OBJECT

 public:
  CurveReadout(const CurveScene& scene, QWidget* parent);

  /// Puts the crosshair at a place on the axis, the card beside `pixel`; none = no crosshair.
  void setPlace(std::optional<double> place, const QPointF& pixel = {});

  std::optional<double> place() const { return place_; }

  void setBox(const QRect& box);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Card {
    std::vector<ReadoutRow> rows;
    QString title;
    QString more;  ///< The number of rows that did not fit, as text.
    QRectF rect;
    double smallHeight = 0;
    double rowHeight = 0;
    double labelWidth = 0;
    double valueWidth = 0;
    double rawWidth = 0;  ///< 0 = without that column.
  };

  void drawCrosshair(QPainter& painter, const std::vector<ReadoutRow>& rows) const;
  Card measure(const std::vector<ReadoutRow>& rows) const;
  void drawCard(QPainter& painter, const Card& card) const;
  void drawRow(QPainter& painter, const Card& card, const ReadoutRow& row, const QRectF& box) const;
  QString heading(const std::vector<ReadoutRow>& rows) const;

  const CurveScene& scene_;
  std::optional<double> place_;
  QPointF pixel_;
  QRect box_;
};

}  // namespace lambda
