#pragma once

#include <optional>

#include <QString>

#include "engine/values/run/predictions.h"
#include "widgets/plots/axes/plot_view.h"

class QCPGraph;

namespace lambda {

/// A point for each image: the predicted number over the true one, with the diagonal on which right
/// predictions lie.
///
/// Mouse: hovering says the numbers of a point, a click chooses its image. Keys: left and right
/// walk through the images by their true number, Enter chooses.
class TruthPlot : public PlotView {
  Q_OBJECT

 public:
  explicit TruthPlot(QWidget* parent = nullptr);

  void setNumbers(NumberColumn column);

  const NumberColumn& numbers() const { return column_; }

  /// The place of an image's point in the widget's coordinates.
  QPointF positionOf(int image) const;

  /// Lines of image, true and predicted number.
  QString toCsv() const override;

  QSize exportSize() const override { return {480, 480}; }

  QSize minimumSizeHint() const override { return {240, 180}; }

 Q_SIGNALS:
  void imageChosen(int image);

 protected:
  bool hasPoints() const override;
  void style(const Colors& colors, const QSize& size, Medium medium) const override;

  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::optional<int> imageAt(const QPointF& position) const;
  QString sentenceFor(int image) const;
  void setCurrent(std::optional<int> image);

  NumberColumn column_;
  std::vector<int> byTruth_;  ///< Images, in the order of their true numbers.
  std::optional<int> current_;
  QCPGraph* diagonal_;
  QCPGraph* points_;
  QCPGraph* currentPoint_;
};

}  // namespace lambda
