#include "widgets/forms/number_box.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>

#include "widgets/forms/number_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

NumberBox::NumberBox(QWidget* parent) : QAbstractSpinBox(parent), unit_(new QLabel(lineEdit())) {
  setFocusPolicy(Qt::StrongFocus);
  setFont(numberFont());
  setKeyboardTracking(true);
  unit_->setAttribute(Qt::WA_TransparentForMouseEvents);
  unit_->setForegroundRole(QPalette::PlaceholderText);
  connect(lineEdit(), &QLineEdit::textEdited, this, &NumberBox::takeTyped);
  connect(this, &QAbstractSpinBox::editingFinished, this, &NumberBox::finishTyping);
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] { placeUnit(); });
}

void NumberBox::setFormat(const NumberFormat& format) {
  if (format == format_) return;
  format_ = format;
  unit_->setText(format.unit);
  placeUnit();
}

void NumberBox::setValue(double value) {
  const bool isSame = value == value_ && !mixed_;
  value_ = value;
  mixed_ = false;
  lineEdit()->setPlaceholderText({});
  // Text that is being typed stays; only another value, for example after an undo, replaces it.
  const bool isTyping = hasFocus() && lineEdit()->isModified();
  if (!isTyping || (!isSame && parsed(lineEdit()->text()) != value)) {
    showText(textFor(value));
    markRange(false);
  }
  placeUnit();
}

void NumberBox::showText(const QString& text) {
  if (lineEdit()->text() == text) return;
  const int position = lineEdit()->cursorPosition();
  lineEdit()->setText(text);
  if (hasFocus()) lineEdit()->setCursorPosition(position);
}

void NumberBox::setMixed(bool mixed) {
  mixed_ = mixed;
  lineEdit()->setPlaceholderText(mixed ? u"—"_s : QString());
  if (mixed && !lineEdit()->text().isEmpty()) lineEdit()->clear();
  placeUnit();
}

std::optional<double> NumberBox::parsed(const QString& text) const {
  const QString plain = text.trimmed();
  if (!format_.zeroText.isEmpty() && plain.compare(format_.zeroText, Qt::CaseInsensitive) == 0) {
    return 0;
  }
  const std::optional<double> number =
      numberOf(format_.whole ? withoutGroups(plain.toStdString()) : plain.toStdString());
  if (!number || (format_.whole && *number != std::floor(*number))) return {};
  return number;
}

bool NumberBox::inRange(double value) const {
  return value >= format_.min && value <= format_.max;
}

QString NumberBox::textFor(double value) const {
  if (value == 0 && !format_.zeroText.isEmpty()) return format_.zeroText;
  if (format_.whole) return QString::number(std::llround(value));
  return QString::fromStdString(shortestText(value));
}

QValidator::State NumberBox::validate(QString& text, int&) const {
  const std::optional<double> number = parsed(text);
  if (number && inRange(*number)) return QValidator::Acceptable;
  for (const QChar c : text) {
    const bool fits = c.isDigit() || u" .,+-eE"_s.contains(c) ||
                      format_.zeroText.contains(c, Qt::CaseInsensitive);
    if (!fits) return QValidator::Invalid;
  }
  return QValidator::Intermediate;
}

void NumberBox::takeTyped(const QString& text) {
  placeUnit();
  const std::optional<double> number = parsed(text);
  markRange(number && !inRange(*number));
  if (number && inRange(*number)) change(*number);
}

void NumberBox::finishTyping() {
  const std::optional<double> number = parsed(lineEdit()->text());
  markRange(false);
  if (!mixed_ || number) {
    const double value = std::clamp(number.value_or(value_), format_.min, format_.max);
    lineEdit()->setText(textFor(value));
    change(value);
    if (number && value != *number) tellRange(*number, value);
  }
  placeUnit();
  Q_EMIT editEnded();
}

void NumberBox::change(double value) {
  if (value == value_ && !mixed_) return;
  mixed_ = false;
  lineEdit()->setPlaceholderText({});
  value_ = value;
  placeUnit();
  Q_EMIT valueEdited(value);
}

/// Shows the range while a number outside it is being typed.
void NumberBox::markRange(bool outside) {
  const bool isMarked = property("problem").toString() == u"error"_s;
  if (outside) {
    QToolTip::showText(mapToGlobal(QPoint(0, height())),
                       u"%1 to %2"_s.arg(textFor(format_.min), textFor(format_.max)),
                       this);
  }
  if (outside == isMarked) return;
  setProperty("problem", outside ? u"error"_s : QString());
  style()->unpolish(this);
  style()->polish(this);
}

/// A number outside the range is not replaced without a word.
void NumberBox::tellRange(double typed, double kept) {
  Q_EMIT rangeEnforced(u"%1 is outside %2 to %3. It was set to %4."_s.arg(
      QString::fromStdString(shortestText(typed)),
      textFor(format_.min),
      textFor(format_.max),
      textFor(kept)));
}

void NumberBox::stepBy(int steps) {
  const double next =
      stepped(value_, steps, format_.stepping, format_.min, format_.max, format_.whole);
  lineEdit()->setText(textFor(next));
  lineEdit()->selectAll();
  markRange(false);
  placeUnit();
  change(next);
}

QAbstractSpinBox::StepEnabled NumberBox::stepEnabled() const {
  StepEnabled enabled = StepNone;
  if (value_ > format_.min || mixed_) enabled |= StepDownEnabled;
  if (value_ < format_.max || mixed_) enabled |= StepUpEnabled;
  return enabled;
}

void NumberBox::keyReleaseEvent(QKeyEvent* event) {
  QAbstractSpinBox::keyReleaseEvent(event);
  const bool isStep = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down ||
                      event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown;
  if (isStep && !event->isAutoRepeat()) Q_EMIT editEnded();
}

void NumberBox::mouseReleaseEvent(QMouseEvent* event) {
  QAbstractSpinBox::mouseReleaseEvent(event);
  Q_EMIT editEnded();
}

void NumberBox::wheelEvent(QWheelEvent* event) {
  // Scrolling a form must not change the values that pass under the pointer.
  if (!hasFocus()) {
    event->ignore();
    return;
  }
  QAbstractSpinBox::wheelEvent(event);
}

void NumberBox::focusOutEvent(QFocusEvent* event) {
  QToolTip::hideText();
  QAbstractSpinBox::focusOutEvent(event);
}

void NumberBox::resizeEvent(QResizeEvent* event) {
  QAbstractSpinBox::resizeEvent(event);
  placeUnit();
}

/// At the right end of the field, where there is space for it beside the number.
void NumberBox::placeUnit() {
  const QString text = lineEdit()->text();
  const bool isNumber = !text.isEmpty() && text != format_.zeroText;
  const bool isOne = isNumber && value_ == 1 && format_.unit.endsWith(u's');
  unit_->setText(isOne ? format_.unit.chopped(1) : format_.unit);
  const QSize size = unit_->sizeHint();
  const int space = lineEdit()->width() - lineEdit()->fontMetrics().horizontalAdvance(text) - 12;
  const bool isShown = isNumber && !format_.unit.isEmpty() && size.width() <= space;
  unit_->setVisible(isShown);
  lineEdit()->setTextMargins(0, 0, isShown ? size.width() + 4 : 0, 0);
  unit_->setGeometry(lineEdit()->width() - size.width() - 2, 0, size.width(), lineEdit()->height());
}

QSize NumberBox::sizeHint() const {
  const QSize size = QAbstractSpinBox::sizeHint();
  const int digits = fontMetrics().horizontalAdvance(u"0000000"_s);
  const int extra = format_.unit.isEmpty() ? 0 : unit_->sizeHint().width() + 4;
  return {std::max(digits + extra + 40, size.width()), size.height()};
}

}  // namespace lambda
