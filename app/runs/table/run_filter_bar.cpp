#include "app/runs/table/run_filter_bar.h"

#include <functional>
#include <utility>

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSearchWidth = 240;
constexpr int kChevronSide = 12;

/// A menu of several checks that stays open while one of them is clicked.
class ChoicesMenu : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    QAction* action = activeAction();
    if (action && action->isEnabled() && action->isCheckable()) {
      action->trigger();
    } else {
      QMenu::mouseReleaseEvent(event);
    }
  }
};

template <class Value>
void change(std::set<Value>& set, const Value& value, bool on) {
  if (on) {
    set.insert(value);
  } else {
    set.erase(value);
  }
}

}  // namespace

RunFilterBar::RunFilterBar(RunSortFilter& sorted, QWidget* parent)
    : QWidget(parent), sorted_(sorted), search_(new QLineEdit(this)), count_(new QLabel(this)) {
  auto* row = new FlowLayout(spacing::kGap, this);
  row->setContentsMargins(12, 8, 12, 8);
  search_->setPlaceholderText(u"Search names, tags, notes"_s);
  search_->setAccessibleName(u"Search runs"_s);
  search_->setToolTip(
      u"All words must occur in a run's name, folder, tags, notes or architecture"_s);
  search_->setClearButtonEnabled(true);
  searchIcon_ = search_->addAction(QIcon(), QLineEdit::LeadingPosition);
  row->addWidget(search_);
  states_ = addFilter(u"Status"_s, u"List only runs in some states"_s, &RunFilterBar::fillStates);
  architectures_ = addFilter(
      u"Architecture"_s, u"List only some architectures"_s, &RunFilterBar::fillArchitectures);
  tags_ = addFilter(u"Tags"_s, u"List only runs with one of some tags"_s, &RunFilterBar::fillTags);
  clear_ = new QToolButton(this);
  clear_->setText(u"Clear"_s);
  clear_->setToolTip(u"List all runs again"_s);
  clear_->setProperty(kRole, u"quiet"_s);
  row->addWidget(clear_);
  count_->setProperty(kRole, u"secondary"_s);
  row->addWidget(count_);
  row->beginRight();

  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    RunFilter filter = sorted_.filter();
    filter.search = text;
    apply(filter);
  });
  connect(clear_, &QToolButton::clicked, this, &RunFilterBar::clear);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(&sorted, signal, this, &RunFilterBar::updateTexts);
    connect(sorted.sourceModel(), signal, this, &RunFilterBar::updateTexts);
  }
  updateSizes();
  updateIcons();
  updateTexts();
  onPaletteChange(*this, [this] { updateIcons(); });
  onFontChange(*this, [this] { updateSizes(); });
}

void RunFilterBar::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void RunFilterBar::clear() {
  const QSignalBlocker blocker(search_);
  search_->clear();
  apply({});
}

void RunFilterBar::addAtEnd(QWidget* widget) {
  layout()->addWidget(widget);
}

QToolButton* RunFilterBar::addFilter(const QString& title,
                                     const QString& meaning,
                                     void (RunFilterBar::*fill)(QMenu&)) {
  auto* button = new QToolButton(this);
  auto* menu = new ChoicesMenu(button);
  button->setText(title);
  button->setToolTip(meaning);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setLayoutDirection(Qt::RightToLeft);
  connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
    menu->clear();
    (this->*fill)(*menu);
  });
  layout()->addWidget(button);
  return button;
}

void RunFilterBar::fillStates(QMenu& menu) {
  for (int i = 0; i < kRunStates; ++i) {
    const auto state = static_cast<RunState>(i);
    addChoice(menu,
              nameOf(state),
              sorted_.filter().states.contains(state),
              [state](RunFilter& filter, bool on) { change(filter.states, state, on); });
  }
}

void RunFilterBar::fillArchitectures(QMenu& menu) {
  for (const QString& pattern : sorted_.architectures()) {
    addChoice(menu,
              pattern,
              sorted_.filter().architectures.contains(pattern),
              [pattern](RunFilter& filter, bool on) { change(filter.architectures, pattern, on); });
  }
}

void RunFilterBar::fillTags(QMenu& menu) {
  for (const QString& tag : sorted_.tags()) {
    addChoice(menu, tag, sorted_.filter().tags.contains(tag), [tag](RunFilter& filter, bool on) {
      change(filter.tags, tag, on);
    });
  }
  if (menu.isEmpty()) menu.addAction(u"No run has a tag yet"_s)->setEnabled(false);
}

void RunFilterBar::addChoice(QMenu& menu,
                             const QString& text,
                             bool on,
                             std::function<void(RunFilter&, bool)> change) {
  // A single ampersand would underline the next letter.
  QAction* action = menu.addAction(QString(text).replace(u'&', u"&&"_s));
  action->setCheckable(true);
  action->setChecked(on);
  connect(action, &QAction::toggled, this, [this, change = std::move(change)](bool checked) {
    RunFilter filter = sorted_.filter();
    change(filter, checked);
    apply(filter);
  });
}

void RunFilterBar::apply(const RunFilter& filter) {
  sorted_.setFilter(filter);
  updateTexts();
  Q_EMIT filtered();
}

void RunFilterBar::updateTexts() {
  const RunFilter& filter = sorted_.filter();
  const auto title = [](const QString& name, std::size_t chosen) {
    return chosen == 0 ? name : u"%1: %2"_s.arg(name).arg(chosen);
  };
  states_->setText(title(u"Status"_s, filter.states.size()));
  architectures_->setText(title(u"Architecture"_s, filter.architectures.size()));
  tags_->setText(title(u"Tags"_s, filter.tags.size()));
  clear_->setVisible(!filter.isEmpty());
  const int shown = sorted_.rowCount(), all = sorted_.sourceModel()->rowCount();
  count_->setText(shown == all ? countedText(all, u"run"_s)
                               : u"%1 of %2 runs"_s.arg(shown).arg(all));
}

void RunFilterBar::updateSizes() {
  search_->setFixedWidth(qRound(kSearchWidth * textScale()));
  const int side = qRound(kChevronSide * textScale());
  for (QToolButton* button : {states_, architectures_, tags_}) button->setIconSize({side, side});
}

void RunFilterBar::updateIcons() {
  searchIcon_->setIcon(icon(u"search"_s, *this));
  for (QToolButton* button : {states_, architectures_, tags_}) {
    button->setIcon(icon(u"chevron-down"_s, *this));
  }
}

}  // namespace lambda
