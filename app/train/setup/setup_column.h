#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace lambda {

class Exportable;

/// One of the columns of settings: its name, forms of full width, and indented pictures and cards.
/// Limited to a readable width.
class SetupColumn : public QWidget {
  Q_OBJECT

 public:
  /// `beside` stands at the right of the title; null = none.
  SetupColumn(const QString& title, QWidget* beside, QWidget* parent);

  /// A remark below the title; empty = none.
  void setNote(const QString& note);

  void add(QWidget* widget);

  /// Adds an indented widget.
  void addInside(QWidget* widget);

  /// Adds a picture under its name, with a button to export it and `beside` left of that; null =
  /// none. `stretch` is its share of the remaining height. Returns the widget that contains all of
  /// it.
  QWidget* addPicture(
      const QString& name, QWidget& picture, Exportable& exported, QWidget* beside, int stretch);

  /// Leaves the remaining height empty.
  void end();

 private:
  void updateSizes();

  QVBoxLayout* column_;
  QLabel* heading_;
  QLabel* note_;
};

}  // namespace lambda
