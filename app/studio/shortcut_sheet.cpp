#include "app/studio/shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kColumns = 3;

QString plainText(const QString& text) {
  QString plain = text;
  return plain.remove(u'&').remove(u" …"_s);
}

QWidget* makeGroup(const ShortcutGroup& group, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
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
    grid->addWidget(new QLabel(plainText(action->text()), box), row, 0);
    grid->addWidget(keys, row, 1, Qt::AlignRight);
    ++row;
  }
  grid->setColumnStretch(0, 1);
  return box;
}

}  // namespace

ShortcutSheet::ShortcutSheet(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keyboard shortcuts"));
  resize(QSize(960, 620) * textScale());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  layout->addWidget(scroll);
  content_ = scroll;
}

void ShortcutSheet::setGroups(const std::vector<ShortcutGroup>& groups) {
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setContentsMargins(32, 24, 32, 24);
  columns->setSpacing(48);
  std::vector<QVBoxLayout*> layouts;
  std::vector<int> heights(kColumns, 0);
  for (int i = 0; i < kColumns; ++i) {
    auto* column = new QVBoxLayout;
    column->setSpacing(24);
    columns->addLayout(column, 1);
    layouts.push_back(column);
  }
  for (const ShortcutGroup& group : groups) {
    ShortcutGroup known{group.title, {}};
    for (QAction* action : group.actions) {
      if (action && !action->shortcuts().isEmpty() && !known.actions.contains(action))
        known.actions << action;
    }
    if (known.actions.isEmpty()) continue;
    const auto shortest = static_cast<std::size_t>(
        std::min_element(heights.begin(), heights.end()) - heights.begin());
    layouts[shortest]->addWidget(makeGroup(known, page));
    heights[shortest] += static_cast<int>(known.actions.size()) + 2;
  }
  for (QVBoxLayout* column : layouts) column->addStretch();
  static_cast<QScrollArea*>(content_)->setWidget(page);
}

}  // namespace lambda
