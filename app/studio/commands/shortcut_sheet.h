#pragma once

#include <vector>

#include <QDialog>

class QAction;
class QScrollArea;

namespace lambda {

/// One group of the sheet: the actions of a menu or page that have a shortcut.
struct ShortcutGroup {
  QString title;
  QList<QAction*> actions;
};

/// All shortcuts at a glance, in as many columns as fit into the window below. Not modal: it may
/// stay open during work.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutSheet(QWidget* parent);

  void setGroups(const std::vector<ShortcutGroup>& groups);

 private:
  QScrollArea* scroll_ = nullptr;
};

}  // namespace lambda
