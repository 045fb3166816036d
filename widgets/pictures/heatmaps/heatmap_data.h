#pragma once

#include <optional>

#include <QString>
#include <QStringList>

#include "engine/values/images/array.h"
#include "engine/values/inspection/colormap.h"
#include "engine/values/inspection/heatmap.h"

namespace lambda {

/// One axis of a heat map's tiles.
struct HeatmapAxis {
  QString label;           ///< "k"; empty = the axis has no name and no numbers.
  int first = 0;           ///< Number of the first cell; -(size / 2) for offsets around 0.
  bool hasZero = false;    ///< Draws a thin line through cell number 0.
  bool isNumbered = true;  ///< Name and numbers stand beside the tiles as well as in the readout.

  bool operator==(const HeatmapAxis&) const = default;
};

/// An array [..., rows, columns] with the texts around it. All leading dimensions together count
/// the tiles.
struct HeatmapData {
  Array array;
  QString name = {};   ///< Stem of exported files, for example "stage2.block1-lambda-total".
  QString title = {};  ///< Stands above the picture; may be empty.
  QString caption =
      {};  ///< Above it in files: what it shows of which network; empty = the title is enough.
  QString unit = {};  ///< Beside the colour bar; empty for a number without a unit.
  HeatmapAxis rows = {};
  HeatmapAxis columns = {};
  QStringList captions = {};  ///< One per tile, all with the same number of lines; or empty.
  ColorMap map = ColorMap::diverging;

  bool operator==(const HeatmapData&) const = default;

  int tileCount() const;
  int rowCount() const;
  int columnCount() const;

  /// The value of a cell. The indices must be within the counts.
  float valueAt(int tile, int row, int column) const;

  /// How many values are NaN or infinite.
  int notFiniteCount() const;

  /// The values as lines "tile,row,column,value", with the names of the axes in the header.
  QString toCsv() const;
};

/// A cell of one of the tiles.
struct TileCell {
  int tile = 0;
  int row = 0;
  int column = 0;

  bool operator==(const TileCell&) const = default;
};

}  // namespace lambda
