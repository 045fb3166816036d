#include "widgets/network/network_actions.h"

#include <algorithm>

#include <QAction>
#include <QActionGroup>

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
  action->setToolTip(
      shortcuts.isEmpty()
          ? tip
          : u"%1 (%2)"_s.arg(tip, shortcuts.first().toString(QKeySequence::NativeText)));
  editor_.addAction(action);
  connect(action, &QAction::triggered, this, verb);
  return action;
}

NetworkActions::NetworkActions(NetworkEditor& editor) : QObject(&editor), editor_(editor) {
  NetworkEditor* e = &editor_;
  // The editor itself handles Enter, which has another meaning on parts without operations.
  open = make(tr("Open or close the block"),
              {},
              tr("Show the operations inside the selected blocks, or hide them (Enter)"),
              [e] { e->toggleOpen(); });
  turnIntoNext = make(tr("Next kind of mixer"),
                      u"Space"_s,
                      tr("Turn the selected blocks into the next kind of mixer"),
                      [e] { e->turnIntoNext(); });
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    turnInto << make(tr("Turn into %1").arg(kindPlural(kind)),
                     QChar::fromLatin1(kMixerTraits[kind].letter),
                     tr("Turn the selected blocks into %1").arg(kindPlural(kind)),
                     [e, kind] { e->turnInto(kind); });
  }
  addBlock = make(tr("Add block"),
                  u"+ = Shift++ Ins"_s,
                  tr("Add a block like the selected one behind it"),
                  [e] { e->addBlock(); });
  removeBlock =
      make(tr("Remove block"), u"-"_s, tr("Remove the selected block"), [e] { e->removeBlock(); });
  addStage =
      make(tr("Add stage"), u"Shift+Ins *"_s, tr("Add a stage behind the selected one"), [e] {
        e->addStage();
      });
  remove = make(tr("Delete"), u"Del Backspace"_s, tr("Remove everything that is selected"), [e] {
    e->removeSelected();
  });
  cut =
      make(tr("Cut"), u"Ctrl+X"_s, tr("Move the selected blocks or stages to the clipboard"), [e] {
        e->cutSelected();
      });
  copy = make(tr("Copy"), u"Ctrl+C"_s, tr("Copy the selected blocks or stages"), [e] {
    e->copySelected();
  });
  paste = make(
      tr("Paste"), u"Ctrl+V"_s, tr("Insert the copied blocks or stages behind the selection"), [e] {
        Q_EMIT e->pasteRequested();
      });
  duplicate = make(tr("Duplicate"),
                   u"Ctrl+D"_s,
                   tr("Insert a copy of the selected blocks or stages behind them"),
                   [e] { e->duplicateSelected(); });
  moveLeft = make(tr("Move to the stage before"),
                  u"Alt+Left"_s,
                  tr("Move the selected blocks or stages one stage to the left"),
                  [e] { e->move(Direction::left); });
  moveRight = make(tr("Move to the next stage"),
                   u"Alt+Right"_s,
                   tr("Move the selected blocks or stages one stage to the right"),
                   [e] { e->move(Direction::right); });
  moveUp = make(tr("Move up"), u"Alt+Up"_s, tr("Move the selected blocks one place up"), [e] {
    e->move(Direction::up);
  });
  moveDown =
      make(tr("Move down"), u"Alt+Down"_s, tr("Move the selected blocks one place down"), [e] {
        e->move(Direction::down);
      });
  selectAll =
      make(tr("Select all blocks"), u"Ctrl+A"_s, tr("Select all blocks"), [e] { e->selectAll(); });
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
      make(tr("Select"), u"V"_s, tr("A drag selects blocks"), [e] { e->setTool(kSelectTool); });
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    paint << make(tr("Paint %1").arg(chipLetter(mixerOfKind(kind))),
                  u"Shift+"_s + QChar::fromLatin1(kMixerTraits[kind].letter),
                  tr("A drag turns blocks into %1").arg(kindPlural(kind)),
                  [e, kind] { e->setTool({kind}); });
  }
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
  QList<QAction*> actions{open, nullptr, turnIntoNext};
  actions += turnInto;
  actions += {nullptr,
              addBlock,
              removeBlock,
              addStage,
              remove,
              nullptr,
              cut,
              copy,
              paste,
              duplicate,
              nullptr,
              moveLeft,
              moveRight,
              moveUp,
              moveDown,
              nullptr,
              selectAll};
  return actions;
}

void NetworkActions::updateEnabled() {
  const Selection& selection = editor_.selection();
  const auto has = [&](PartKind kind) {
    return std::any_of(
        selection.begin(), selection.end(), [&](const PartId& part) { return part.kind == kind; });
  };
  const bool blocks = has(PartKind::block);
  const bool stages = has(PartKind::stage);
  for (QAction* action :
       turnInto + QList{open, turnIntoNext, removeBlock, remove, moveLeft, moveRight}) {
    action->setEnabled(blocks || stages);
  }
  const bool canCopy = editor_.canCopy();
  for (QAction* action : {cut, copy, duplicate}) action->setEnabled(canCopy);
  moveUp->setEnabled(blocks && !stages);
  moveDown->setEnabled(blocks && !stages);
}

}  // namespace lambda
