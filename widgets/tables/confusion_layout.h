#pragma once

#include <QRectF>
#include <QSizeF>

#include "widgets/tables/confusion_picture.h"

namespace lambda {

/// Where the parts of a ConfusionPicture lie within a size. The cells are squares; a matrix that
/// does not fit shrinks, and leaves its names out where they would make it too small to read.
struct ConfusionLayout {
  static constexpr double kGap = 8;
  static constexpr double kMargin = 8;

  double titleHeight = 0;     ///< With the gap below it; 0 = no title.
  double cell = 0;            ///< Side of a cell.
  QRectF matrix;              ///< All cells.
  double nameWidth = 0;       ///< Of the column of true classes; 0 = without.
  double nameHeight = 0;      ///< Of the row of predicted classes; 0 = without.
  double shareWidth = 0;      ///< Of the column of shares; it comes with that of true classes.
  bool uprightNames = false;  ///< The predicted classes are written along the columns.

  /// What longer names are cut to.
  static double longestName();

  QRectF rectOf(const Cell& cell) const;
};

ConfusionLayout layoutOf(const ConfusionPicture& picture, const QSizeF& size);

}  // namespace lambda
