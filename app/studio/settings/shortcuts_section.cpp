#include "app/studio/settings/shortcuts_section.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QTableView>

#include "app/studio/settings/key_field.h"
#include "app/studio/settings/section_parts.h"
#include "app/studio/settings/shortcut_model.h"
#include "app/studio/settings/shortcut_registry.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLeastTableHeight = 180;

}  // namespace

ShortcutsSection::ShortcutsSection(ShortcutRegistry& registry, QWidget* parent)
    : QWidget(parent),
      registry_(registry),
      model_(new ShortcutModel(registry, this)),
      found_(new QSortFilterProxyModel(this)),
      search_(new QLineEdit),
      table_(new QTableView),
      title_(new QLabel),
      keys_(new KeyField),
      remove_(new QPushButton(u"Remove"_s)),
      reset_(new QPushButton(u"Reset"_s)),
      message_(new QLabel),
      swap_(new QPushButton(u"Swap them"_s)),
      takeOver_(new QPushButton(u"Take it over"_s)),
      keep_(new QPushButton(u"Keep as it is"_s)) {
  makeColumn(*this);
  makeTable();
  makeEditor();
  makeConflict();
  connect(&registry_, &ShortcutRegistry::changed, this, &ShortcutsSection::showSelected);
  table_->selectRow(0);
  showSelected();
}

void ShortcutsSection::makeTable() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  search_->setPlaceholderText(u"Search by command, page or keys"_s);
  search_->setAccessibleName(u"Search in the shortcuts"_s);
  search_->setClearButtonEnabled(true);
  auto* resetAll = new QPushButton(u"Reset all"_s);
  resetAll->setToolTip(u"Every command gets its standard shortcut."_s);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(search_, 1);
  row->addWidget(resetAll);
  column->addLayout(row);
  found_->setSourceModel(model_);
  found_->setFilterKeyColumn(-1);
  found_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(found_);
  table_->setAccessibleName(u"Shortcuts"_s);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setStyleSheet(u"QTableView::item { padding: 3px 8px; }"_s);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(ShortcutModel::kCommand, QHeaderView::Stretch);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setMinimumHeight(kLeastTableHeight);
  column->addWidget(table_, 1);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    found_->setFilterFixedString(text);
    if (!table_->currentIndex().isValid()) table_->selectRow(0);
  });
  connect(resetAll, &QPushButton::clicked, this, [this] {
    endConflict();
    registry_.resetAll();
    tell(u"All shortcuts are the standard ones."_s, u"success"_s);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    endConflict();
    tell({}, u"secondary"_s);
    showSelected();
  });
}

void ShortcutsSection::makeEditor() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  title_->setProperty(kRole, u"heading"_s);
  title_->setWordWrap(true);
  column->addWidget(title_);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(keys_, 1);
  row->addWidget(remove_);
  row->addWidget(reset_);
  column->addLayout(row);
  remove_->setToolTip(u"The command has no shortcut then."_s);
  reset_->setToolTip(u"The command gets its standard shortcut."_s);
  connect(keys_, &KeyField::pressed, this, &ShortcutsSection::take);
  connect(remove_, &QPushButton::clicked, this, [this] {
    endConflict();
    if (const auto command = selected()) registry_.set(*command, {});
  });
  connect(reset_, &QPushButton::clicked, this, [this] {
    endConflict();
    const auto command = selected();
    if (!command) return;
    if (const auto owner = registry_.reset(*command)) {
      tell(u"Its standard shortcut belongs to “%1”. Reset that one first."_s.arg(
               titleOf(registry_.commands()[*owner])),
           u"error"_s);
    }
  });
}

void ShortcutsSection::makeConflict() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  message_->setWordWrap(true);
  message_->setMinimumHeight(qRound(2.5 * fontMetrics().height()));
  message_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  column->addWidget(message_);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  for (QPushButton* button : {swap_, takeOver_, keep_}) {
    button->hide();
    row->addWidget(button);
  }
  row->addStretch();
  column->addLayout(row);
  connect(swap_, &QPushButton::clicked, this, [this] {
    const Conflict conflict = *conflict_;
    endConflict();
    registry_.swap(*selected(), conflict.owner, conflict.keys);
  });
  connect(takeOver_, &QPushButton::clicked, this, [this] {
    const Conflict conflict = *conflict_;
    registry_.set(conflict.owner, {});
    // A command of another page may have the same keys.
    take(conflict.keys);
  });
  connect(keep_, &QPushButton::clicked, this, [this] {
    endConflict();
    tell({}, u"secondary"_s);
    showSelected();
  });
}

std::optional<std::size_t> ShortcutsSection::selected() const {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return std::nullopt;
  return static_cast<std::size_t>(found_->mapToSource(current).row());
}

void ShortcutsSection::showSelected() {
  const auto command = selected();
  for (QWidget* widget : std::initializer_list<QWidget*>{keys_, remove_, reset_})
    widget->setEnabled(command.has_value());
  title_->setText(command ? titleOf(registry_.commands()[*command])
                          : u"No command matches the search."_s);
  keys_->setAccessibleName(command ? u"Shortcut of %1"_s.arg(title_->text()) : u"Shortcut"_s);
  const QSignalBlocker blocker(keys_);
  keys_->setKeySequence(command ? registry_.keysOf(*command) : QKeySequence());
  remove_->setEnabled(command && !registry_.keysOf(*command).isEmpty());
  reset_->setEnabled(command && registry_.isChanged(*command));
}

void ShortcutsSection::take(const QKeySequence& keys) {
  endConflict();
  const auto command = selected();
  if (!command) return;
  if (const QString problem = ShortcutRegistry::problemOf(keys); !problem.isEmpty()) {
    tell(problem, u"error"_s);
    showSelected();
  } else if (const auto owner = registry_.ownerOf(keys, *command)) {
    offer({*owner, keys});
  } else {
    registry_.set(*command, keys);
    tell(u"The shortcut works from now on."_s, u"success"_s);
  }
}

void ShortcutsSection::offer(const Conflict& conflict) {
  conflict_ = conflict;
  const ShortcutCommand& owner = registry_.commands()[conflict.owner];
  const QSignalBlocker blocker(keys_);
  keys_->setKeySequence(conflict.keys);
  tell(u"%1 is the shortcut of “%2”."_s.arg(conflict.keys.toString(QKeySequence::NativeText),
                                            titleOf(owner)),
       u"warning"_s);
  swap_->setVisible(registry_.canSwap(*selected(), conflict.owner, conflict.keys));
  takeOver_->setVisible(true);
  takeOver_->setToolTip(u"“%1” has no shortcut then."_s.arg(owner.name));
  keep_->setVisible(true);
}

void ShortcutsSection::tell(const QString& text, const QString& role) {
  message_->setText(text);
  setRole(*message_, role);
}

void ShortcutsSection::endConflict() {
  conflict_.reset();
  message_->clear();
  for (QPushButton* button : {swap_, takeOver_, keep_}) button->hide();
}

}  // namespace lambda
