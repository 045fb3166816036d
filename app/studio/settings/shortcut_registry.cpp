#include "app/studio/settings/shortcut_registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QAction>
#include <QSettings>

#include "app/session/page.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kKey = u"shortcuts/changed"_s;
/// Between a command's title and its keys.
constexpr QChar kSeparator = u'\t';
constexpr int kLongestTold = 60;

/// Keys that move through the window and its fields.
constexpr std::array kMovingKeys{Qt::Key_Tab,
                                 Qt::Key_Backtab,
                                 Qt::Key_Escape,
                                 Qt::Key_Return,
                                 Qt::Key_Enter,
                                 Qt::Key_Left,
                                 Qt::Key_Right,
                                 Qt::Key_Up,
                                 Qt::Key_Down};

constexpr std::array kModifierKeys{Qt::Key_Control,
                                   Qt::Key_Shift,
                                   Qt::Key_Alt,
                                   Qt::Key_AltGr,
                                   Qt::Key_Meta,
                                   Qt::Key_unknown,
                                   Qt::Key(0)};

/// "Undo", where the current text is "Undo Remove a stage".
QString nameOf(const QAction& action) {
  const QVariant lasting = action.property(kLastingText);
  QString name = lasting.isValid() ? lasting.toString() : action.text();
  return name.remove(u'&').remove(u" …"_s);
}

}  // namespace

QString titleOf(const ShortcutCommand& command) {
  return command.place + u": "_s + command.name;
}

void ShortcutRegistry::add(QAction* action, const QString& place, bool isEverywhere) {
  const bool isKnown = std::ranges::any_of(
      commands_, [action](const ShortcutCommand& command) { return command.action == action; });
  if (isKnown || nameOf(*action).isEmpty()) return;
  commands_.push_back({action, place, nameOf(*action), isEverywhere, action->shortcuts()});
}

QString ShortcutRegistry::problemOf(const QKeySequence& keys) {
  if (keys.isEmpty()) return {};
  if (keys.count() > 1) return u"A shortcut is one key or one combination of keys."_s;
  const Qt::Key key = keys[0].key();
  if (std::ranges::find(kModifierKeys, key) != kModifierKeys.end())
    return u"A shortcut needs a key beside Ctrl, Shift or Alt."_s;
  const bool isPlain = !(keys[0].keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier));
  if (isPlain && std::ranges::find(kMovingKeys, key) != kMovingKeys.end())
    return u"%1 moves through the window and can't be a shortcut by itself."_s.arg(
        keys.toString(QKeySequence::NativeText));
  return {};
}

bool ShortcutRegistry::reach(std::size_t a, std::size_t b) const {
  const ShortcutCommand& one = commands_[a];
  const ShortcutCommand& other = commands_[b];
  return one.isEverywhere || other.isEverywhere || one.place == other.place;
}

ShortcutRegistry::Keys ShortcutRegistry::current() const {
  Keys keys;
  for (const ShortcutCommand& command : commands_)
    keys.push_back(command.action ? command.action->shortcuts() : QList<QKeySequence>());
  return keys;
}

std::optional<std::size_t> ShortcutRegistry::ownerIn(const Keys& keys,
                                                     const QKeySequence& wanted,
                                                     std::size_t command) const {
  if (wanted.isEmpty()) return std::nullopt;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (i != command && keys[i].contains(wanted) && reach(i, command)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> ShortcutRegistry::ownerOf(const QKeySequence& keys,
                                                     std::size_t command) const {
  return ownerIn(current(), keys, command);
}

QKeySequence ShortcutRegistry::keysOf(std::size_t command) const {
  const QAction* action = commands_[command].action;
  return action ? action->shortcut() : QKeySequence();
}

void ShortcutRegistry::set(std::size_t command, const QKeySequence& keys) {
  if (!commands_[command].action) return;
  commands_[command].action->setShortcut(keys);
  store();
}

bool ShortcutRegistry::canSwap(std::size_t command,
                               std::size_t owner,
                               const QKeySequence& keys) const {
  Keys others = current();
  const QList<QKeySequence> own = std::exchange(others[command], {});
  others[owner].clear();
  return own.size() == 1 && !ownerIn(others, own.front(), owner) && !ownerIn(others, keys, command);
}

void ShortcutRegistry::swap(std::size_t command, std::size_t owner, const QKeySequence& keys) {
  const QKeySequence own = keysOf(command);
  set(owner, own);
  set(command, keys);
}

bool ShortcutRegistry::isChanged(std::size_t command) const {
  const QAction* action = commands_[command].action;
  return action && action->shortcuts() != commands_[command].standard;
}

std::optional<std::size_t> ShortcutRegistry::reset(std::size_t command) {
  for (const QKeySequence& keys : commands_[command].standard) {
    if (const auto owner = ownerOf(keys, command)) return owner;
  }
  if (commands_[command].action)
    commands_[command].action->setShortcuts(commands_[command].standard);
  store();
  return std::nullopt;
}

void ShortcutRegistry::resetAll() {
  for (const ShortcutCommand& command : commands_) {
    if (command.action) command.action->setShortcuts(command.standard);
  }
  store();
}

void ShortcutRegistry::store() {
  QStringList lines;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (isChanged(i))
      lines << titleOf(commands_[i]) + kSeparator + keysOf(i).toString(QKeySequence::PortableText);
  }
  QSettings().setValue(kKey, lines);
  Q_EMIT changed();
}

QStringList ShortcutRegistry::restore() {
  QStringList ignored;
  Keys keys;
  for (const ShortcutCommand& command : commands_) keys.push_back(command.standard);
  std::vector<std::size_t> changed;
  for (const QString& line : QSettings().value(kKey).toStringList()) {
    const QString title = line.section(kSeparator, 0, 0);
    const QString text = line.section(kSeparator, 1);
    const auto found = std::ranges::find(commands_, title, titleOf);
    const QKeySequence wanted(text, QKeySequence::PortableText);
    const bool isReadable = line.contains(kSeparator) && problemOf(wanted).isEmpty() &&
                            wanted.isEmpty() == text.isEmpty();
    if (found == commands_.end() || !isReadable) {
      ignored << u"The saved shortcut of “%1” can't be used."_s.arg(title.left(kLongestTold));
      continue;
    }
    const auto command = static_cast<std::size_t>(found - commands_.begin());
    keys[command] = wanted.isEmpty() ? QList<QKeySequence>() : QList{wanted};
    changed.push_back(command);
  }
  // A command that loses its saved keys may conflict with a later one by its standard keys.
  for (bool isSettled = false; !isSettled;) {
    isSettled = true;
    for (const std::size_t command : changed) {
      const QKeySequence wanted = keys[command].value(0);
      const auto owner = ownerIn(keys, wanted, command);
      if (!owner || keys[command] == commands_[command].standard) continue;
      ignored << u"The saved shortcut of “%1” is also that of “%2”."_s.arg(
          titleOf(commands_[command]), titleOf(commands_[*owner]));
      keys[command] = commands_[command].standard;
      isSettled = false;
    }
  }
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (commands_[i].action && commands_[i].action->shortcuts() != keys[i])
      commands_[i].action->setShortcuts(keys[i]);
  }
  Q_EMIT this->changed();
  return ignored;
}

}  // namespace lambda
