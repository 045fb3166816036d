#pragma once

class QMenu;
class QToolButton;
class QWidget;

namespace lambda {

class Exportable;

/// Fills a menu with "Copy picture", "Copy numbers" and "Save as ..." for `source`, which lives at
/// least as long as `owner`, the parent of dialogs and messages.
void addExportActions(QMenu& menu, const Exportable& source, QWidget& owner);

/// A small button with that menu, to stand beside a plot or picture. It is a child of `owner`,
/// which places it. Also makes the menu the owner's context menu.
QToolButton* makeExportButton(const Exportable& source, QWidget& owner);

}  // namespace lambda
