#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>

class QAction;

namespace lambda {

/// An action that can have a shortcut.
struct ShortcutCommand {
  QPointer<QAction> action;
  QString place;                 ///< The menu or page, for example "File".
  QString name;                  ///< Its constant name, for example "Undo".
  bool isEverywhere = false;     ///< Works on every page; others on the page `place` alone.
  QList<QKeySequence> standard;  ///< What it has before a person changes it.
};

/// The shortcuts of all actions and a person's changes of them, which are saved between starts.
/// Within reach of each other no two actions have the same keys: those that work everywhere reach
/// all others, those of a page reach each other.
class ShortcutRegistry : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Adds an action with its standard shortcuts; an action is added once.
  void add(QAction* action, const QString& place, bool isEverywhere);

  const std::vector<ShortcutCommand>& commands() const { return commands_; }

  /// Gives the actions their saved shortcuts. Saved ones that can't be read, or that conflict with
  /// others, are ignored: one sentence for each.
  QStringList restore();

  /// Why no action can have these keys; empty where one can.
  static QString problemOf(const QKeySequence& keys);

  /// The command within reach of `command` that has these keys; none where they are free.
  std::optional<std::size_t> ownerOf(const QKeySequence& keys, std::size_t command) const;

  QKeySequence keysOf(std::size_t command) const;

  /// Gives a command these keys alone; empty = none. They must be free.
  void set(std::size_t command, const QKeySequence& keys);

  /// Whether a command can get these keys of another, and that one the command's, without a
  /// conflict with a third one.
  bool canSwap(std::size_t command, std::size_t owner, const QKeySequence& keys) const;

  /// Gives a command these keys of another, which gets the command's.
  void swap(std::size_t command, std::size_t owner, const QKeySequence& keys);

  bool isChanged(std::size_t command) const;

  /// Restores a command's standard shortcuts. Another one that has them keeps them: that one is
  /// returned, and nothing is changed.
  std::optional<std::size_t> reset(std::size_t command);
  void resetAll();

 Q_SIGNALS:
  void changed();

 private:
  using Keys = std::vector<QList<QKeySequence>>;

  bool reach(std::size_t a, std::size_t b) const;
  std::optional<std::size_t> ownerIn(const Keys& keys,
                                     const QKeySequence& wanted,
                                     std::size_t command) const;
  Keys current() const;
  void store();

  std::vector<ShortcutCommand> commands_;
};

/// "Design: Remove"
QString titleOf(const ShortcutCommand& command);

}  // namespace lambda
