#pragma once

#include <optional>

#include <QAbstractSpinBox>
#include <QString>

#include "widgets/forms/field_rows.h"

class QLabel;

namespace lambda {

/// The numbers that a NumberBox accepts and how it shows them.
struct NumberFormat {
  double min = 0;
  double max = 0;
  bool whole = false;
  Stepping stepping = Stepping::one;
  QString unit;      ///< Shown behind the number, not part of the text.
  QString zeroText;  ///< Shown instead of 0; can be typed too.

  bool operator==(const NumberFormat&) const = default;
};

/// A spin box for numbers of any size: accepts "5e-4" and a comma as decimal point, steps in a way
/// that suits the quantity, and changes by the wheel only while focused. Values out of range are
/// marked while they are typed and moved into the range when typing ends.
class NumberBox : public QAbstractSpinBox {
  Q_OBJECT

 public:
  explicit NumberBox(QWidget* parent = nullptr);

  void setFormat(const NumberFormat& format);

  const NumberFormat& format() const { return format_; }

  double value() const { return value_; }

  /// Shows a value without a signal. Typed text that means the same value stays as it is.
  void setValue(double value);

  /// Shows a dash for values that differ; steps start at value().
  void setMixed(bool mixed);

  void stepBy(int steps) override;
  QValidator::State validate(QString& text, int& position) const override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// A person changed the value.
  void valueEdited(double value);
  /// A number that was typed is outside the range; `text` says what it was set to.
  void rangeEnforced(const QString& text);
  /// A key or button was released, or typing ended.
  void editEnded();

 protected:
  StepEnabled stepEnabled() const override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  std::optional<double> parsed(const QString& text) const;
  bool inRange(double value) const;
  QString textFor(double value) const;
  void showText(const QString& text);
  void takeTyped(const QString& text);
  void finishTyping();
  void change(double value);
  void markRange(bool outside);
  void tellRange(double typed, double kept);
  void placeUnit();

  NumberFormat format_;
  double value_ = 0;
  bool mixed_ = false;
  QLabel* unit_;
};

}  // namespace lambda
