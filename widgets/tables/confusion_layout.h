#pragma once

#include <QRectF>
#include <QSizeF>

#include "widgets/tables/confusion_picture.h"

namespace lambda {

/// The places of the parts of a ConfusionPicture within a size. The cells are squares; a matrix
/// that does not fit shrinks, and leaves its names out where they would make it too small to read.
struct ConfusionLayout {
  static constexpr double kGap = 8;
  static constexpr double kMargin = 8;

  double titleHeight = 0;     ///< Includes the gap below it; 0 = no title.
  double cell = 0;            ///< Side of a cell.
  QRectF matrix;              ///< All cells.
  double nameWidth = 0;       ///< Width of the column of true classes; 0 = left out.
  double nameHeight = 0;      ///< Height of the row of predicted classes; 0 = left out.
  double shareWidth = 0;      ///< Width of the column of shares; 0 together with `nameWidth`.
  bool uprightNames = false;  ///< The predicted classes are written along the columns.

  /// The length to which longer names are cut.
  static double longestName();

  QRectF rectOf(const Cell& cell) const;
};

ConfusionLayout layoutOf(const ConfusionPicture& picture, const QSizeF& size);

}  // namespace lambda
