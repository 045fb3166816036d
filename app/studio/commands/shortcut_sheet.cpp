#include "app/studio/commands/shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/session/page.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostColumns = 3;

/// Shares of the window that the sheet lies over.
constexpr double kMostWidth = 0.92;
constexpr double kMostHeight = 0.86;

/// "Undo", where the current text is "Undo Remove a stage".
QString lastingText(const QAction& action) {
  const QVariant lasting = action.property(kLastingText);
  QString plain = lasting.isValid() ? lasting.toString() : action.text();
  return plain.remove(u'&').remove(u" …"_s);
}

QWidget* makeGroup(const ShortcutGroup& group, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* grid = makeBareLayout<QGridLayout>(box);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(6);
  auto* title = new QLabel(group.title, box);
  title->setProperty(kRole, u"heading"_s);
  grid->addWidget(title, 0, 0, 1, 2);
  int row = 1;
  for (const QAction* action : group.actions) {
    auto* keys =
        new QLabel(QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText), box);
    keys->setProperty(kRole, u"keys"_s);
    grid->addWidget(new QLabel(lastingText(*action), box), row, 0);
    grid->addWidget(keys, row, 1, Qt::AlignRight);
    ++row;
  }
  grid->setColumnStretch(0, 1);
  return box;
}

/// The groups in columns of about the same height.
QWidget* makePage(const std::vector<ShortcutGroup>& groups, int columnCount) {
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setContentsMargins(32, 24, 32, 24);
  columns->setSpacing(48);
  std::vector<QVBoxLayout*> layouts;
  std::vector<int> heights(static_cast<std::size_t>(columnCount), 0);
  for (int i = 0; i < columnCount; ++i) {
    auto* column = new QVBoxLayout;
    column->setSpacing(24);
    columns->addLayout(column, 1);
    layouts.push_back(column);
  }
  for (const ShortcutGroup& group : groups) {
    const auto shortest = static_cast<std::size_t>(
        std::min_element(heights.begin(), heights.end()) - heights.begin());
    layouts[shortest]->addWidget(makeGroup(group, page));
    heights[shortest] += static_cast<int>(group.actions.size()) + 2;
  }
  for (QVBoxLayout* column : layouts) column->addStretch();
  return page;
}

}  // namespace

ShortcutSheet::ShortcutSheet(QWidget* parent) : QDialog(parent) {
  setWindowTitle(u"Keyboard shortcuts"_s);
  auto* layout = makeBareLayout<QVBoxLayout>(this);
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  layout->addWidget(scroll_);
}

void ShortcutSheet::setGroups(const std::vector<ShortcutGroup>& groups) {
  std::vector<ShortcutGroup> known;
  for (const ShortcutGroup& group : groups) {
    ShortcutGroup kept{group.title, {}};
    for (QAction* action : group.actions) {
      if (action && !action->shortcuts().isEmpty() && !kept.actions.contains(action))
        kept.actions << action;
    }
    if (!kept.actions.isEmpty()) known.push_back(kept);
  }
  const QSize window = parentWidget()->window()->size();
  const QSize most(qRound(kMostWidth * window.width()), qRound(kMostHeight * window.height()));
  const int bar = scroll_->verticalScrollBar()->sizeHint().width();
  for (int columns = kMostColumns; columns > 0; --columns) {
    QWidget* page = makePage(known, columns);
    // Styles, and with them sizes, are final only in the final parent.
    scroll_->setWidget(page);
    page->ensurePolished();
    const QSize wanted = page->sizeHint() + QSize(bar, 0);
    if (wanted.width() > most.width() && columns > 1) continue;
    scroll_->setMinimumWidth(std::min(wanted.width(), most.width()));
    resize(wanted.boundedTo(most));
    return;
  }
}

}  // namespace lambda
