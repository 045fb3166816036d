#include "widgets/network/network_actions.h"

#include <algorithm>

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include "engine/values/config/kinds.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_editor.h"

using namespace Qt::StringLiterals;

namespace lambda {

/// `keys`: shortcuts in their portable form, separated by blanks; the first one is shown.
template <class Verb>
QAction* NetworkActions::make(const QString& text,
                              const QString& keys,
                              const QString& tip,
                              const Verb& verb) {
  auto* action = new QAction(text, this);
  QList<QKeySequence> shortcuts;
  for (const QString& key : keys.split(u' ', Qt::SkipEmptyParts)) shortcuts << QKeySequence(key);
  action->setShortcuts(shortcuts);
  action->setShortcutContext(Qt::WidgetShortcut);
  action->setToolTip(tip);
  editor_.addAction(action);
  connect(action, &QAction::triggered, this, verb);
  return action;
}

QMenu* NetworkActions::makeMenu(const QString& title, const QList<QAction*>& actions) {
  auto* menu = new QMenu(title, &editor_);
  menu->addActions(actions);
  return menu;
}

NetworkActions::NetworkActions(NetworkEditor& editor) : QObject(&editor), editor_(editor) {
  NetworkEditor* e = &editor_;
  // The editor itself handles Enter, which has another meaning on parts without operations.
  open = make(u"Open or close the block"_s,
              {},
              u"Show the operations inside the selected blocks, or hide them (Enter)"_s,
              [e] { e->toggleOpen(); });
  turnIntoNext = make(u"Next kind of mixer"_s,
                      u"Space"_s,
                      u"Turn the selected blocks into the next kind of mixer"_s,
                      [e] { e->turnIntoNext(); });
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    turnInto << make(u"Turn into %1"_s.arg(kindPlural(kind)),
                     QChar::fromLatin1(kMixerTraits[kind].letter),
                     u"Turn the selected blocks into %1"_s.arg(kindPlural(kind)),
                     [e, kind] { e->turnInto(kind); });
  }
  turnIntoMenu = makeMenu(u"Turn into"_s, turnInto);
  addBlock = make(
      u"Add block"_s, u"+ = Shift++ Ins"_s, u"Add a block like the selected one behind it"_s, [e] {
        e->addBlock();
      });
  removeBlock =
      make(u"Remove block"_s, u"-"_s, u"Remove the selected block"_s, [e] { e->removeBlock(); });
  addStage = make(u"Add stage"_s, u"Shift+Ins *"_s, u"Add a stage behind the selected one"_s, [e] {
    e->addStage();
  });
  remove = make(u"Delete"_s, u"Del Backspace"_s, u"Remove everything that is selected"_s, [e] {
    e->removeSelected();
  });
  cut = make(u"Cut"_s, u"Ctrl+X"_s, u"Move the selected blocks or stages to the clipboard"_s, [e] {
    e->cutSelected();
  });
  copy = make(
      u"Copy"_s, u"Ctrl+C"_s, u"Copy the selected blocks or stages"_s, [e] { e->copySelected(); });
  paste = make(
      u"Paste"_s, u"Ctrl+V"_s, u"Insert the copied blocks or stages behind the selection"_s, [e] {
        Q_EMIT e->pasteRequested();
      });
  duplicate = make(u"Duplicate"_s,
                   u"Ctrl+D"_s,
                   u"Insert a copy of the selected blocks or stages behind them"_s,
                   [e] { e->duplicateSelected(); });
  moveLeft = make(u"Move to the stage before"_s,
                  u"Alt+Left"_s,
                  u"Move the selected blocks or stages one stage to the left"_s,
                  [e] { e->move(Direction::left); });
  moveRight = make(u"Move to the next stage"_s,
                   u"Alt+Right"_s,
                   u"Move the selected blocks or stages one stage to the right"_s,
                   [e] { e->move(Direction::right); });
  moveUp = make(u"Move up"_s, u"Alt+Up"_s, u"Move the selected blocks one place up"_s, [e] {
    e->move(Direction::up);
  });
  moveDown = make(u"Move down"_s, u"Alt+Down"_s, u"Move the selected blocks one place down"_s, [e] {
    e->move(Direction::down);
  });
  selectAll =
      make(u"Select all blocks"_s, u"Ctrl+A"_s, u"Select all blocks"_s, [e] { e->selectAll(); });
  makeTools();
  // Text fields receive letters before these become shortcuts.
  for (QAction* action : widelyUsed()) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  }
  connect(e, &NetworkEditor::selectionChanged, this, &NetworkActions::updateEnabled);
  updateEnabled();
}

void NetworkActions::makeTools() {
  NetworkEditor* e = &editor_;
  selectTool =
      make(u"Select"_s, u"V"_s, u"A drag selects blocks"_s, [e] { e->setTool(kSelectTool); });
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    paint << make(u"Paint %1"_s.arg(kindPlural(kind)),
                  u"Shift+"_s + QChar::fromLatin1(kMixerTraits[kind].letter),
                  u"A drag turns blocks into %1"_s.arg(kindPlural(kind)),
                  [e, kind] { e->setTool({kind}); });
    paint.back()->setIconText(u"Paint %1"_s.arg(chipLetter(valueOfKind<Mixer>(kind))));
  }
  paintMenu = makeMenu(u"Paint"_s, paint);
  auto* group = new QActionGroup(this);
  for (QAction* action : tools()) {
    action->setCheckable(true);
    group->addAction(action);
  }
  selectTool->setChecked(true);
  connect(e, &NetworkEditor::toolChanged, this, [this](EditTool tool) {
    (tool.paints ? paint.at(static_cast<qsizetype>(*tool.paints)) : selectTool)->setChecked(true);
  });
}

QList<QAction*> NetworkActions::tools() const {
  return QList{selectTool} + paint;
}

QList<QAction*> NetworkActions::widelyUsed() const {
  return turnInto + QList{addBlock, removeBlock, addStage} + tools();
}

QList<QAction*> NetworkActions::editing() const {
  return {open,      nullptr,   turnIntoNext, turnIntoMenu->menuAction(),
          nullptr,   addBlock,  removeBlock,  addStage,
          remove,    nullptr,   cut,          copy,
          paste,     duplicate, nullptr,      moveLeft,
          moveRight, moveUp,    moveDown,     nullptr,
          selectAll};
}

void NetworkActions::updateEnabled() {
  const Selection& selection = editor_.selection();
  const auto has = [&](PartKind kind) {
    return std::any_of(
        selection.begin(), selection.end(), [&](const PartId& part) { return part.kind == kind; });
  };
  const bool blocks = has(PartKind::block);
  const bool stages = has(PartKind::stage);
  for (QAction* action : turnInto + QList{open,
                                          turnIntoNext,
                                          turnIntoMenu->menuAction(),
                                          removeBlock,
                                          remove,
                                          moveLeft,
                                          moveRight}) {
    action->setEnabled(blocks || stages);
  }
  const bool canCopy = editor_.canCopy();
  for (QAction* action : {cut, copy, duplicate}) action->setEnabled(canCopy);
  moveUp->setEnabled(blocks && !stages);
  moveDown->setEnabled(blocks && !stages);
}

}  // namespace lambda
