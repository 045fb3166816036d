#pragma once

#include <vector>

#include <QFrame>

class QAction;
class QToolButton;

namespace lambda {

/// The left edge of the window: one large button per workspace, the current one in the accent
/// colour. Actions are checkable and belong to one exclusive group; the rail only shows them. It is
/// wide enough for its longest name.
class NavigationRail : public QFrame {
  Q_OBJECT

 public:
  explicit NavigationRail(QWidget* parent = nullptr);

  /// `iconName` as in icon(). The action's text is the label, its shortcut is shown in the tooltip.
  void addWorkspace(QAction* action, const QString& iconName);

  /// Adds an action at the bottom of the rail, separate from the workspaces.
  void addBottomAction(QAction* action, const QString& iconName);

  /// The button at the bottom; null where there is none.
  QWidget* bottomButton() const;

 private:
  struct Entry {
    QAction* action;
    QString iconName;
    QToolButton* button;
  };

  QToolButton* makeButton(QAction* action, const QString& iconName);
  void updateLooks();

  std::vector<Entry> entries_;
  int workspaces_ = 0;
};

}  // namespace lambda
