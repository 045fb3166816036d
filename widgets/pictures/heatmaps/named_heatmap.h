#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>
#include <QWidget>

#include "engine/values/inspection/colormap.h"
#include "widgets/export/exportable.h"

namespace lambda {

struct AccessiblePart;

/// A table of numbers with the names of its rows and columns.
struct NamedHeatmapData {
  QString title;  ///< Quantity and unit.
  QString rowTitle;
  QString columnTitle;
  QStringList rows;
  QStringList columns;
  std::vector<std::optional<double>> values;  ///< [rows * columns], row by row; nothing = empty.
  int decimals = 1;                           ///< Of the numbers in the cells.

  bool operator==(const NamedHeatmapData&) const = default;
};

/// A heat map of few cells whose rows and columns have names and whose cells show their numbers.
/// Its colours are those of viridis, from the smallest to the largest number; empty cells are
/// hatched.
///
/// Mouse: a click requests a cell. Keys: the arrows move the cell cursor, Return requests its cell.
class NamedHeatmap : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit NamedHeatmap(QWidget* parent = nullptr);

  void setData(NamedHeatmapData data);

  const NamedHeatmapData& data() const { return data_; }

  /// The text while no cell has a number.
  void setEmptyText(const QString& text);

  /// Stem of exported files.
  void setExportName(const QString& name) { exportName_ = name; }

  /// The drawn area of a cell in the widget's coordinates.
  QRectF cellRect(std::size_t row, std::size_t column) const;

  QString exportName() const override { return exportName_; }

  QString exportCaption() const override { return data_.title; }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Lines of row, column and value.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void cellClicked(std::size_t row, std::size_t column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Cell {
    std::size_t row = 0;
    std::size_t column = 0;
  };

  struct Frame;

  Frame frameFor(const QSize& size) const;
  const std::optional<double>& valueAt(const Cell& cell) const;
  void paintNames(QPainter& painter, const Frame& frame, const Colors& colors) const;
  void paintCell(QPainter& painter,
                 const QRectF& rect,
                 const std::optional<double>& value,
                 const Colors& colors) const;
  AccessiblePart describedCell(std::size_t index) const;

  NamedHeatmapData data_;
  std::optional<ColorRange> range_;  ///< Of all numbers; nothing without any.
  std::optional<Cell> cursor_;
  QString emptyText_;
  QString exportName_;
};

}  // namespace lambda
