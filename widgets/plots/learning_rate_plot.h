#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <QWidget>

#include "widgets/export/exportable.h"

namespace lambda {

/// A small preview of the learning rate over a run: the schedule as a line with its peak and its
/// end, the warm-up as its first part. It draws points; the owner samples the schedule.
class LearningRatePlot : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit LearningRatePlot(QWidget* parent = nullptr);

  /// (epoch, learning rate), ascending by epoch. `epochs`: the run's length, the end of x.
  void setCurve(std::vector<std::pair<double, double>> curve, int epochs);

  const std::vector<std::pair<double, double>>& curve() const { return curve_; }

  /// The current position of the run, in epochs; below 0 = none.
  void setPosition(double epoch);

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QRectF plotRect(const QSize& size) const;
  void drawPlaces(QPainter& painter,
                  const Colors& colors,
                  const QRectF& rect,
                  const QRectF& below,
                  const std::function<QPointF(double, double)>& at) const;
  double rateAt(double epoch) const;

  std::vector<std::pair<double, double>> curve_;
  int epochs_ = 1;
  double position_ = -1;
  double hovered_ = -1;
};

}  // namespace lambda
