#pragma once

#include <vector>

#include <QDialog>

class QAction;
class QScrollArea;

namespace lambda {

/// One column group of the sheet: a menu's or page's actions that have a shortcut.
struct ShortcutGroup {
  QString title;
  QList<QAction*> actions;
};

/// All shortcuts at a glance, in as many columns as the window under it has room for. Not modal: it
/// may stay open while one works.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutSheet(QWidget* parent);

  void setGroups(const std::vector<ShortcutGroup>& groups);

 private:
  QScrollArea* scroll_ = nullptr;
};

}  // namespace lambda
