#pragma once

#include <functional>
#include <vector>

#include <QFrame>
#include <QPointer>
#include <QString>

class QAction;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace lambda {

/// An action and where it belongs.
struct Command {
  QPointer<QAction> action;
  QString place;               ///< The menu or page, for example "File".
  QString text;                ///< Empty = the action's text.
  std::function<void()> goTo;  ///< Shows the page on which the action works; empty = any page.
};

/// Every action that can act by its name: type a few letters, Return runs it, Escape closes. The
/// most recently used one comes first. A popup; call open() each time.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  /// Shows the palette over the top of the window with these commands. Actions that are hidden,
  /// disabled or without a text are left out.
  void open(std::vector<Command> commands);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& typed);
  void choose();
  void moveSelection(int by);

  QLineEdit* input_;
  QListView* list_;
  QStandardItemModel* model_;
  std::vector<Command> commands_;
};

/// "File: Open …": the command's text without mnemonics, after its place.
QString textOf(const Command& command);

}  // namespace lambda
