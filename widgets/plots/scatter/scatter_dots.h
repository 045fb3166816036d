#pragma once

#include <vector>

#include <QPointF>
#include <QString>

#include "widgets/qcustomplot_include.h"

namespace lambda {

struct Colors;

struct ScatterDot {
  QPointF place;  ///< In units of the axes.
  QString name;
  int colorIndex = -1;
  bool isOnFront = false;
  bool isSelected = false;
  bool isHovered = false;
};

/// Draws dots at places of the plot, and names where there is space: those of the marked dots, then
/// of those on the front and, of a few dots, of all.
class ScatterDots : public QCPLayerable {
 public:
  explicit ScatterDots(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("legend")) {}

  static constexpr double kRadius = 5;

  void setDots(std::vector<ScatterDot> dots);

  /// `hasMarks`: whether the selected and the hovered dot are emphasised.
  void setLook(const Colors& colors, bool hasMarks);

 protected:
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
  void draw(QCPPainter* painter) override;

 private:
  void drawDot(QCPPainter& painter, const ScatterDot& dot) const;
  void drawNames(QCPPainter& painter) const;
  void drawName(QCPPainter& painter, const ScatterDot& dot, std::vector<QRectF>& taken) const;
  bool isMarked(const ScatterDot& dot) const;
  QPointF pixelOf(const ScatterDot& dot) const;

  std::vector<ScatterDot> dots_;  ///< In the order in which they are drawn.
  const Colors* colors_ = nullptr;
  bool hasMarks_ = true;
};

}  // namespace lambda
