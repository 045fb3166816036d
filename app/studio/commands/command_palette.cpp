#include "app/studio/commands/command_palette.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSettings>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include "app/studio/commands/fuzzy_match.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kShortcutRole = Qt::UserRole + 1;
constexpr int kIndexRole = Qt::UserRole + 2;
constexpr int kRemembered = 12;
const QString kRecentKey = u"commandPalette/recent"_s;

/// Draws the action's text at the left and its shortcut at the right.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(qRound(30 * textScale()));
    return size;
  }

  void paint(QPainter* painter,
             const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Colors& colors = colorsOf(*option.widget);
    const bool isSelected = option.state & QStyle::State_Selected;
    const bool isEnabled = option.state & QStyle::State_Enabled;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (isSelected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(colors.accentSoft);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(2, 1, -2, -1), 4, 4);
    }
    const QRect inner = option.rect.adjusted(12, 0, -12, 0);
    const QString shortcut = index.data(kShortcutRole).toString();
    painter->setFont(option.font);
    painter->setPen(colors.textSecondary);
    painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, shortcut);
    const int reserved = option.fontMetrics.horizontalAdvance(shortcut) + 16;
    painter->setPen(isEnabled ? colors.text : colors.textDisabled);
    painter->drawText(
        inner.adjusted(0, 0, -reserved, 0),
        Qt::AlignLeft | Qt::AlignVCenter,
        option.fontMetrics.elidedText(
            index.data(Qt::DisplayRole).toString(), Qt::ElideRight, inner.width() - reserved));
    painter->restore();
  }
};

QString plainText(const QString& text) {
  QString plain = text;
  return plain.remove(u'&');
}

}  // namespace

QString textOf(const Command& command) {
  const QString text = plainText(command.text.isEmpty() ? command.action->text() : command.text);
  return command.place.isEmpty() ? text : command.place + u": "_s + text;
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window, Qt::Popup | Qt::FramelessWindowHint),
      input_(new QLineEdit(this)),
      list_(new QListView(this)),
      model_(new QStandardItemModel(this)) {
  setProperty(kRole, u"card"_s);
  setAccessibleName(u"Command palette"_s);
  input_->setPlaceholderText(u"What do you want to do?"_s);
  input_->setAccessibleName(u"Search in all commands"_s);
  input_->setClearButtonEnabled(true);
  input_->installEventFilter(this);
  list_->setModel(model_);
  list_->setItemDelegate(new CommandDelegate(list_));
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setMouseTracking(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(input_);
  layout->addWidget(list_);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(list_, &QListView::clicked, this, &CommandPalette::choose);
}

void CommandPalette::open(std::vector<Command> commands) {
  commands_ = std::move(commands);
  std::erase_if(commands_, [](const Command& command) {
    const QAction* action = command.action;
    return !action || action->isSeparator() || action->menu() || action->text().isEmpty() ||
           !action->isVisible() || !action->isEnabled();
  });
  input_->clear();
  filter({});
  const QRect window = parentWidget()->window()->geometry();
  const double scale = textScale();
  const int width = std::min(qRound(620 * scale), window.width() - 40);
  const int height = std::min(qRound(440 * scale), window.height() - 120);
  setGeometry(window.x() + (window.width() - width) / 2, window.y() + 64, width, height);
  show();
  input_->setFocus();
}

void CommandPalette::filter(const QString& typed) {
  const QStringList recent = QSettings().value(kRecentKey).toStringList();

  struct Hit {
    int score;
    std::size_t index;
    QString text;
  };

  std::vector<Hit> hits;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i].action) continue;
    const QString text = textOf(commands_[i]);
    const std::optional<int> score = fuzzyScore(typed, text);
    if (!score) continue;
    const auto rank = recent.indexOf(text);
    const int recency =
        rank < 0 ? 0 : (kRemembered - static_cast<int>(rank)) * (typed.isEmpty() ? 1000 : 20);
    hits.push_back({(typed.isEmpty() ? 0 : *score) + recency, i, text});
  }
  std::stable_sort(
      hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  model_->clear();
  for (const Hit& hit : hits) {
    const QAction& action = *commands_[hit.index].action;
    auto* item = new QStandardItem(hit.text);
    item->setData(action.shortcut().toString(QKeySequence::NativeText), kShortcutRole);
    item->setData(static_cast<int>(hit.index), kIndexRole);
    item->setToolTip(action.toolTip());
    model_->appendRow(item);
  }
  list_->setCurrentIndex({});
  moveSelection(1);
}

void CommandPalette::moveSelection(int by) {
  const int rows = model_->rowCount();
  if (rows == 0) return;
  const int row = list_->currentIndex().isValid() ? list_->currentIndex().row() : -by;
  list_->setCurrentIndex(model_->index((row + by + rows) % rows, 0));
}

void CommandPalette::choose() {
  const QModelIndex current = list_->currentIndex();
  if (!current.isValid()) return;
  const Command command = commands_[current.data(kIndexRole).toUInt()];
  if (!command.action) return;
  QSettings settings;
  QStringList recent = settings.value(kRecentKey).toStringList();
  const QString text = current.data().toString();
  recent.removeAll(text);
  recent.prepend(text);
  settings.setValue(kRecentKey, QStringList(recent.mid(0, kRemembered)));
  hide();
  // After the popup has returned the keyboard focus, so that the action runs in the former state of
  // the window.
  QTimer::singleShot(0, command.action.data(), [command] {
    if (command.goTo) command.goTo();
    if (command.action) command.action->trigger();
  });
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      moveSelection(1);
      return true;
    case Qt::Key_Up:
      moveSelection(-1);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose();
      return true;
    case Qt::Key_Escape:
      hide();
      return true;
    default:
      return false;
  }
}

}  // namespace lambda
