#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace lambda {

/// Every action of the program by its name: type a few letters, Return does it, Escape leaves. What
/// was used last comes first. A popup; open() it anew each time.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  /// Shows the palette over the top of the window with these actions. Those that are hidden or have
  /// no text are left out; those that can't be used now are shown and can't be chosen.
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

/// "File: Open …": an action's text without mnemonics, behind the menu it stands in.
QString commandTextOf(const QAction& action);

}  // namespace lambda
