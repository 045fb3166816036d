#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

class QAction;
class QSettings;

namespace lambda {

/// Property of an action whose text depends on the situation: its constant name for lists.
inline constexpr char kLastingText[] = "lastingText";

/// A workspace of the window. The window puts its actions into a menu and the command palette and
/// remembers its layout.
class Page : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// The page's own actions, in the order of its menu; null pointers are separators, and an action
  /// with a menu stands for the actions of that menu. All of them are also added to the page as a
  /// widget, so that their shortcuts work while it is shown.
  virtual QList<QAction*> pageActions() const = 0;

  /// The undo and redo of what the page shows, with texts that say what they undo; null where
  /// nothing on the page can be undone.
  virtual QAction* undoAction() const { return nullptr; }

  virtual QAction* redoAction() const { return nullptr; }

  /// Writes what the page shows for other programs; null where there is nothing to write.
  virtual QAction* exportAction() const { return nullptr; }

  /// Splitters, toggles and choices; the keys are in a separate group of the page.
  virtual void saveLayout(QSettings& settings) const = 0;
  virtual void restoreLayout(QSettings& settings) = 0;

 protected:
  /// The part that gets the keyboard when the page does. It is no focus proxy: the Tab key would
  /// leave out everything between the page and that part.
  void setEntry(QWidget* part) { entry_ = part; }

  void focusInEvent(QFocusEvent* event) override;

 private:
  QPointer<QWidget> entry_;
};

}  // namespace lambda
