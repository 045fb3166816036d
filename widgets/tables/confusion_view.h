#pragma once

#include <optional>

#include <QString>
#include <QStringList>
#include <QWidget>

#include "widgets/export/exportable.h"
#include "widgets/tables/confusion_picture.h"

namespace lambda {

/// A confusion matrix: rows are the true classes, columns the predicted ones. Right predictions are
/// on the diagonal, in one colour; the others have another one, by their share of the row. Hovering
/// describes a cell in a sentence. A click chooses it, and so do the arrow keys; Escape chooses
/// none.
class ConfusionView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit ConfusionView(QWidget* parent = nullptr);

  /// `title` is drawn on exported pictures, for example "quickstart, validation, epoch 6". Missing
  /// class names become numbers.
  void setMatrix(ConfusionMatrix matrix, QStringList classNames, const QString& title);

  const ConfusionMatrix& matrix() const { return picture_.matrix; }

  const QStringList& classNames() const { return picture_.classNames; }

  void setScale(ConfusionScale scale);

  ConfusionScale scale() const { return picture_.scale; }

  /// The chosen cell: row = true class, column = prediction.
  std::optional<Cell> current() const { return picture_.current; }

  /// Emits no signal.
  void setCurrent(std::optional<Cell> cell);

  /// The cell at a point in the widget's coordinates.
  std::optional<Cell> cellAt(const QPointF& position) const;

  /// In the widget's coordinates.
  QRectF rectOf(const Cell& cell) const;

  /// The text of a hovered cell: "12 of 200 cat images (6.0 %) were predicted as dog".
  QString sentenceFor(const Cell& cell) const;

  QString exportName() const override;
  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  /// Lines of class names and counts.
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void cellChosen(const lambda::Cell& cell);
  /// Escape was pressed: no cell is chosen.
  void choiceCleared();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ConfusionPicture shownPicture() const;
  void choose(const Cell& cell);
  void hover(std::optional<Cell> cell);

  ConfusionPicture picture_;
};

}  // namespace lambda
