#pragma once

#include <optional>

#include <QSizeF>
#include <QString>
#include <QStringList>

#include "engine/values/inspection/heatmap.h"
#include "engine/values/run/predictions.h"

class QPainter;

namespace lambda {

struct Colors;

/// The numbers in the cells of a confusion matrix.
enum class ConfusionScale {
  counts,
  rowShares,  ///< Shares of the images of the true class, in per cent.
};

/// The content of a confusion matrix.
struct ConfusionPicture {
  ConfusionMatrix matrix;
  QStringList classNames;  ///< One per class.
  QString title;           ///< Above the matrix; empty = none.
  ConfusionScale scale = ConfusionScale::counts;
  std::optional<Cell> current;  ///< Has a frame; the names of its row and column are bold.
  std::optional<Cell> hovered;
  bool hasFocus = false;

  std::int64_t countAt(const Cell& cell) const;

  /// Number of images of the true class.
  std::int64_t rowTotal(int row) const;

  /// Share of a row; 0 where the class has no images.
  double rowShare(const Cell& cell) const;

  /// The greatest share of a row off the diagonal.
  double worstShare() const;
};

void paintConfusion(QPainter& painter,
                    const ConfusionPicture& picture,
                    const QSizeF& size,
                    const Colors& colors);

}  // namespace lambda
