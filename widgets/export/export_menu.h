#pragma once

class QMenu;
class QToolButton;
class QWidget;

namespace lambda {

class Exportable;

/// Fills a menu with "Copy picture", "Copy numbers" and "Save as ..." for `source`, which lives at
/// least as long as `owner`, the parent of dialogs and messages.
void addExportActions(QMenu& menu, const Exportable& source, QWidget& owner);

/// The small button with that menu which stands beside every plot and picture. A child of `owner`;
/// it does not place itself. Also makes the menu the owner's context menu.
QToolButton* makeExportButton(const Exportable& source, QWidget& owner);

}  // namespace lambda
