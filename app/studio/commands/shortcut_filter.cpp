#include "app/studio/commands/shortcut_filter.h"

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

}  // namespace

ShortcutFilter::ShortcutFilter(QObject* parent) : QObject(parent) {
  qApp->installEventFilter(this);
}

bool ShortcutFilter::eventFilter(QObject*, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  const auto& key = static_cast<const QKeyEvent&>(*event);
  const QWidget* focused = QApplication::focusWidget();
  const QLineEdit* line = typedLine(focused);
  if (line && isOfNoUse(key, *line)) {
    event->ignore();
    return true;
  }
  const bool isTaken = QApplication::activePopupWidget() || searches(key, focused);
  // An accepted override becomes an ordinary key press.
  if (!isTaken || !isSingleKey(key)) return false;
  event->accept();
  return true;
}

}  // namespace lambda
