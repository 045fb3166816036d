#pragma once

#include <optional>

#include <QString>
#include <QStringList>
#include <QWidget>

#include "engine/values/heatmap.h"
#include "engine/values/predictions.h"
#include "widgets/export/exportable.h"

namespace lambda {

/// What is written into the cells.
enum class ConfusionScale {
  counts,
  rowShares,  ///< Of the images of the true class, in per cent.
};

/// A confusion matrix: rows are the true classes, columns what they were taken for. The ground of a
/// cell follows its share of the row. Hovering tells the cell in words; a click or Return chooses
/// it, arrow keys walk.
class ConfusionView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ConfusionView(QWidget* parent = nullptr);

  /// `title` goes on exported pictures, for example "quickstart, validation, epoch 6". Missing
  /// class names become numbers.
  void setMatrix(ConfusionMatrix matrix, QStringList classNames, const QString& title);

  const ConfusionMatrix& matrix() const { return matrix_; }

  void setScale(ConfusionScale scale);

  ConfusionScale scale() const { return scale_; }

  /// The chosen cell: row = true class, column = prediction.
  std::optional<Cell> current() const { return current_; }

  void setCurrent(std::optional<Cell> cell);

  /// The cell under a place in the widget's coordinates.
  std::optional<Cell> cellAt(const QPointF& position) const;

  /// In the widget's coordinates; empty outside of the matrix.
  QRectF rectOf(const Cell& cell) const;

  /// "12 of 200 cats (6.0 %) were taken for a dog": what hovering says.
  QString sentenceFor(const Cell& cell) const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Rows with the class names, counts.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void cellChosen(const lambda::Cell& cell);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Layout;

  Layout layoutFor(const QSizeF& size, bool withTitle) const;
  std::int64_t countAt(const Cell& cell) const;
  std::int64_t rowTotal(int row) const;
  void choose(const Cell& cell);

  ConfusionMatrix matrix_;
  QStringList classNames_;
  QString title_;
  ConfusionScale scale_ = ConfusionScale::counts;
  std::optional<Cell> current_;
  std::optional<Cell> hovered_;
};

}  // namespace lambda
