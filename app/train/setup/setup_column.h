#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace lambda {

class Exportable;

/// One of the columns of settings: its name, forms from edge to edge, pictures and cards a step
/// inwards. Not wider than can be read.
class SetupColumn : public QWidget {
  Q_OBJECT

 public:
  /// `beside` stands at the right of the title; null = nothing.
  SetupColumn(const QString& title, QWidget* beside, QWidget* parent);

  void add(QWidget* widget);

  /// A step inwards.
  void addInside(QWidget* widget);

  /// A picture under its name, with a button to export it and `beside` left of that; null = nothing
  /// there. `stretch` is its share of the height that is left over. The result holds all of it.
  QWidget* addPicture(
      const QString& name, QWidget& picture, Exportable& exported, QWidget* beside, int stretch);

  /// What is left of the height stays empty.
  void end();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateSizes();

  QVBoxLayout* column_;
  QLabel* heading_;
};

}  // namespace lambda
