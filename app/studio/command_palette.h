#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace lambda {

/// Every action of the program by its name: type a few letters, Return runs it, Escape closes. The
/// most recently used one comes first. A popup; call open() each time.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  /// Shows the palette over the top of the window with these actions. Actions that are hidden or
  /// have no text are left out; disabled ones are shown but can't be chosen.
  void open(const QList<QAction*>& actions);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& typed);
  void choose();
  void moveSelection(int by);

  QLineEdit* input_;
  QListView* list_;
  QStandardItemModel* model_;
  QList<QPointer<QAction>> actions_;
};

/// "File: Open …": an action's text without mnemonics, after the name of its menu.
QString commandTextOf(const QAction& action);

}  // namespace lambda
