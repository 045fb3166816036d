#pragma once

#include <optional>

#include <QSizeF>
#include <QString>
#include <QStringList>

#include "engine/values/heatmap.h"
#include "engine/values/predictions.h"

class QPainter;

namespace lambda {

struct Colors;

/// What is written into the cells of a confusion matrix.
enum class ConfusionScale {
  counts,
  rowShares,  ///< Of the images of the true class, in per cent.
};

/// What a confusion matrix is drawn from.
struct ConfusionPicture {
  ConfusionMatrix matrix;
  QStringList classNames;  ///< As many as classes.
  QString title;           ///< Above the matrix; empty = none.
  ConfusionScale scale = ConfusionScale::counts;
  std::optional<Cell> current;  ///< Gets a frame, its row and column bold names.
  std::optional<Cell> hovered;
  bool hasFocus = false;

  std::int64_t countAt(const Cell& cell) const;

  /// Images of that true class.
  std::int64_t rowTotal(int row) const;

  /// 0 where the class has no images.
  double rowShare(const Cell& cell) const;

  /// The greatest share of a row that is off the diagonal.
  double worstShare() const;
};

void paintConfusion(QPainter& painter,
                    const ConfusionPicture& picture,
                    const QSizeF& size,
                    const Colors& colors);

}  // namespace lambda
