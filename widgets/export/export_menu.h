#pragma once

#include <vector>

#include <QString>

class QAction;
class QMenu;
class QToolButton;
class QWidget;

namespace lambda {

class Exportable;

/// Fills a menu with "Copy picture", "Copy numbers" and "Save as ..." for `source`, which lives at
/// least as long as `owner`, the parent of dialogs and messages.
void addExportActions(QMenu& menu, const Exportable& source, QWidget& owner);

/// A picture that can be exported, and the action that asks for its file.
struct PictureExport {
  QString name;  ///< As Exportable::exportName().
  QAction* save;
};

/// The pictures below `parent` that a person sees, or would see if `parent` were visible.
std::vector<PictureExport> pictureExportsBelow(const QWidget& parent);

/// A small button with that menu, to stand beside a plot or picture. It is a child of `owner`,
/// which places it. Also makes the menu the owner's context menu.
QToolButton* makeExportButton(const Exportable& source, QWidget& owner);

}  // namespace lambda
