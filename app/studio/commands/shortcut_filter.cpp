#include "app/studio/commands/shortcut_filter.h"

#include <utility>

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>

namespace lambda {

namespace {

/// The line in which a person types, also that of a spin box or of an editable combo box; null
/// where there is none.
const QLineEdit* typedLine(const QWidget* widget) {
  if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return line;
  if (const auto* combo = qobject_cast<const QComboBox*>(widget)) return combo->lineEdit();
  return qobject_cast<const QAbstractSpinBox*>(widget) ? widget->findChild<const QLineEdit*>()
                                                       : nullptr;
}

/// Whether an undo or redo key finds nothing to do in the line.
bool isOfNoUse(const QKeyEvent& key, const QLineEdit& line) {
  if (key.matches(QKeySequence::Undo)) return !line.isUndoAvailable();
  const bool isRedo = key.matches(QKeySequence::Redo) ||
                      (key.key() == Qt::Key_Y && key.modifiers() == Qt::ControlModifier);
  return isRedo && !line.isRedoAvailable();
}

/// Whether a combo box uses the key to search among its entries.
bool searches(const QKeyEvent& key, const QWidget* focused) {
  return qobject_cast<const QComboBox*>(focused) && !key.text().isEmpty() &&
         key.text().front().isPrint();
}

bool isSingleKey(const QKeyEvent& key) {
  return !(key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

bool isOfComboBox(const QWidget& popup) {
  return qobject_cast<const QComboBox*>(popup.parentWidget());
}

/// Whether the key chooses the marked entry of an open list. A space in the middle of typing
/// belongs to the name that is being typed.
bool choosesEntry(const QKeyEvent& key, const QElapsedTimer& sinceTyped) {
  switch (key.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Select:
      return true;
    case Qt::Key_Space:
      return !sinceTyped.isValid() || sinceTyped.hasExpired(QApplication::keyboardInputInterval());
    default:
      return false;
  }
}

}  // namespace

ShortcutFilter::ShortcutFilter(QObject* parent) : QObject(parent) {
  qApp->installEventFilter(this);
}

bool ShortcutFilter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) return isUsedUp(static_cast<const QKeyEvent&>(*event));
  if (event->type() != QEvent::ShortcutOverride || isPassing_) return false;
  auto& key = static_cast<QKeyEvent&>(*event);
  usedUp_ = 0;
  const QWidget* focused = QApplication::focusWidget();
  const QLineEdit* line = typedLine(focused);
  if (line && isOfNoUse(key, *line)) {
    event->ignore();
    return true;
  }
  const QWidget* popup = QApplication::activePopupWidget();
  const bool isTaken = popup || searches(key, focused);
  // An accepted override becomes an ordinary key press.
  if (!isTaken || !isSingleKey(key)) return false;
  if (popup && isOfComboBox(*popup)) passToComboBox(*watched, key);
  event->accept();
  return true;
}

/// The list of a combo box chooses and closes already at the override of a key, and only at that.
void ShortcutFilter::passToComboBox(QObject& watched, const QKeyEvent& key) {
  const bool isChoice = choosesEntry(key, sinceTyped_);
  if (!isChoice && key.key() != Qt::Key_F4) {
    if (!key.text().isEmpty() && key.text().front().isPrint()) sinceTyped_.start();
    return;
  }
  QKeyEvent passed(QEvent::ShortcutOverride, isChoice ? Qt::Key_Return : Qt::Key_F4, {});
  isPassing_ = true;
  QApplication::sendEvent(&watched, &passed);
  isPassing_ = false;
  // The list is closed now: the press would open it again, or press the default button of a dialog.
  if (!QApplication::activePopupWidget()) usedUp_ = key.key();
}

bool ShortcutFilter::isUsedUp(const QKeyEvent& key) {
  return std::exchange(usedUp_, 0) == key.key() && key.key() != 0;
}

}  // namespace lambda
