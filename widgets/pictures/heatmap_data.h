#pragma once

#include <optional>

#include <QString>
#include <QStringList>

#include "engine/values/array.h"
#include "engine/values/colormap.h"
#include "engine/values/heatmap.h"

namespace lambda {

/// What runs along one side of a heat map's tiles.
struct HeatmapAxis {
  QString label;           ///< "k"; empty = the axis has no name and no numbers.
  int first = 0;           ///< What the first cell is called; -(size / 2) for offsets around 0.
  bool hasZero = false;    ///< A thin line through the cell called 0.
  bool isNumbered = true;  ///< Name and numbers stand beside the tiles, not only in the readout.

  bool operator==(const HeatmapAxis&) const = default;
};

/// An array [..., rows, columns] with the words around it. All leading dimensions are counted
/// through as tiles.
struct HeatmapData {
  Array array;
  QString name = {};   ///< Stem of exported files, for example "stage2.block1-lambda-total".
  QString title = {};  ///< Stands above; may be empty.
  QString unit = {};   ///< Beside the colour bar; empty for a number without a unit.
  HeatmapAxis rows = {};
  HeatmapAxis columns = {};
  QStringList captions = {};  ///< One a tile, or none at all.
  ColorMap map = ColorMap::diverging;

  bool operator==(const HeatmapData&) const = default;

  int tileCount() const;
  int rowCount() const;
  int columnCount() const;

  /// The value of a cell. The indices are within the counts.
  float valueAt(int tile, int row, int column) const;

  /// How many values are NaN or infinite.
  int notFiniteCount() const;

  /// The numbers as lines "tile,row,column,value" under names that the axes give.
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
