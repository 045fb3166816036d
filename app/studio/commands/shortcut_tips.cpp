#include "app/studio/commands/shortcut_tips.h"

#include <QAction>
#include <QApplication>
#include <QHelpEvent>
#include <QToolButton>
#include <QToolTip>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QAction* actionOf(const QAbstractButton& button) {
  const auto* toolButton = qobject_cast<const QToolButton*>(&button);
  return toolButton ? toolButton->defaultAction() : button.actions().value(0);
}

}  // namespace

ShortcutTips::ShortcutTips(QObject* parent) : QObject(parent) {
  qApp->installEventFilter(this);
}

bool ShortcutTips::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip) return false;
  auto* button = qobject_cast<QAbstractButton*>(watched);
  const QAction* action = button ? actionOf(*button) : nullptr;
  if (!action || action->shortcut().isEmpty()) return false;
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     u"%1 (%2)"_s.arg(button->toolTip(), keys),
                     button);
  return true;
}

}  // namespace lambda
