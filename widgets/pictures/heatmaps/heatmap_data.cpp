#include "widgets/pictures/heatmaps/heatmap_data.h"

#include <algorithm>
#include <cmath>

#include "engine/values/text/text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Whether the rank is 2 or more and there are as many values as the shape says.
bool isDrawable(const Array& array) {
  if (array.shape.size() < 2 || array.empty()) return false;
  std::int64_t count = 1;
  for (const std::int64_t side : array.shape) {
    if (side <= 0) return false;
    count *= side;
  }
  return count == static_cast<std::int64_t>(array.values.size());
}

/// A caption as a CSV field.
QString quoted(QString text) {
  return u"\""_s + text.replace(u'"', u"\"\""_s) + u"\""_s;
}

}  // namespace

int HeatmapData::tileCount() const {
  if (!isDrawable(array)) return 0;
  return static_cast<int>(array.values.size()) / (rowCount() * columnCount());
}

int HeatmapData::rowCount() const {
  return isDrawable(array) ? static_cast<int>(array.shape[array.shape.size() - 2]) : 0;
}

int HeatmapData::columnCount() const {
  return isDrawable(array) ? static_cast<int>(array.shape.back()) : 0;
}

float HeatmapData::valueAt(int tile, int row, int column) const {
  const std::size_t line = static_cast<std::size_t>(tile) * rowCount() + row;
  return array.values[line * columnCount() + column];
}

int HeatmapData::notFiniteCount() const {
  return static_cast<int>(std::count_if(
      array.values.begin(), array.values.end(), [](float value) { return !std::isfinite(value); }));
}

QString HeatmapData::toCsv() const {
  const int tiles = tileCount();
  if (tiles == 0) return {};
  const auto nameOf = [](const HeatmapAxis& axis, const QString& otherwise) {
    return axis.label.isEmpty() ? otherwise : axis.label;
  };
  const bool hasCaptions = captions.size() == tiles;
  QString csv = (tiles > 1 ? u"tile,"_s : QString()) + nameOf(rows, u"row"_s) + u","_s +
                nameOf(columns, u"column"_s) + u",value\n"_s;
  for (int tile = 0; tile < tiles; ++tile) {
    const QString tileName = hasCaptions ? quoted(captions[tile]) : QString::number(tile);
    for (int row = 0; row < rowCount(); ++row) {
      for (int column = 0; column < columnCount(); ++column) {
        if (tiles > 1) csv += tileName + u","_s;
        csv +=
            QString::number(rows.first + row) + u","_s + QString::number(columns.first + column) +
            u","_s +
            QString::fromStdString(formatNumber(static_cast<double>(valueAt(tile, row, column)))) +
            u"\n"_s;
      }
    }
  }
  return csv;
}

}  // namespace lambda
