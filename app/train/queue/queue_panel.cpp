#include "app/train/queue/queue_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/training/training_queue.h"
#include "app/train/caption.h"
#include "app/train/training_text.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMostRowsShown = 4;

QString queuedText(const QueuedRun& run) {
  const std::string& name = run.config.name;
  const QString title = QString::fromStdString(name.empty() ? run.config.architecture.name : name);
  const QString text = title + u" · "_s + recipeText(run.config);
  if (run.obstacle.empty()) return text;
  return text + u'\n' +
         u"Could not start: %1"_s.arg(QString::fromStdString(run.obstacle).simplified());
}

}  // namespace

QueuePanel::QueuePanel(TrainingQueue& queue, QWidget* parent)
    : QFrame(parent),
      queue_(queue),
      title_(makeCaption(this, {})),
      owner_(new QLabel(this)),
      problemRow_(new QFrame(this)),
      problem_(new QLabel(problemRow_)),
      list_(new QListWidget(this)),
      train_(new QPushButton(u"Train the queue"_s, this)) {
  setProperty(kRole, u"card"_s);
  title_->setObjectName(u"queueTitle"_s);
  owner_->setObjectName(u"queueOwner"_s);
  owner_->setProperty(kRole, u"secondary"_s);
  problem_->setObjectName(u"queueProblem"_s);
  problem_->setProperty(kRole, u"error"_s);
  for (QLabel* text : {owner_, problem_}) {
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
  }
  list_->setAccessibleName(u"Queued runs"_s);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setStyleSheet(
      u"QListWidget { background: transparent; border: none; }"
      "QListWidget::item { padding: 4px; }"_s);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideRight);
  list_->installEventFilter(this);
  train_->setObjectName(u"trainQueue"_s);
  train_->setToolTip(u"Train the queued runs one after the other"_s);
  auto* head = new QHBoxLayout;
  head->addWidget(title_);
  head->addStretch();
  auto* problemLine = makeBareLayout<QHBoxLayout>(problemRow_);
  problemLine->addWidget(problem_, 1);
  const auto add = [this](QHBoxLayout* row, const QString& name, const QString& toolTip) {
    auto* button = new QToolButton(this);
    button->setProperty(kRole, u"quiet"_s);
    button->setAccessibleName(name);
    button->setToolTip(toolTip);
    row->addWidget(button, 0, Qt::AlignTop);
    return button;
  };
  up_ = add(head, u"Train earlier"_s, u"Train this run earlier (Alt+Up)"_s);
  down_ = add(head, u"Train later"_s, u"Train this run later (Alt+Down)"_s);
  remove_ = add(head, u"Remove from the queue"_s, u"Remove this run from the queue (Del)"_s);
  dismiss_ = add(problemLine, u"Dismiss"_s, u"Hide this message"_s);
  head->addWidget(train_);
  auto* column = new QVBoxLayout(this);
  column->addLayout(head);
  column->addWidget(owner_);
  column->addWidget(problemRow_);
  column->addWidget(list_);
  connect(up_, &QToolButton::clicked, this, [this] { moveBy(-1); });
  connect(down_, &QToolButton::clicked, this, [this] { moveBy(1); });
  connect(remove_, &QToolButton::clicked, this, &QueuePanel::removeCurrent);
  connect(train_, &QPushButton::clicked, &queue_, &TrainingQueue::trainNext);
  connect(list_, &QListWidget::currentRowChanged, this, &QueuePanel::updateButtons);
  connect(&queue_, &TrainingQueue::changed, this, &QueuePanel::showQueue);
  connect(dismiss_, &QToolButton::clicked, &queue_, &TrainingQueue::dismissFileProblem);
  updateIcons();
  showQueue();
  onPaletteChange(*this, [this] { updateIcons(); });
}

/// The same run stays selected; where it has gone, the one that took its place.
void QueuePanel::fillList() {
  const std::vector<QueuedRun>& runs = queue_.runs();
  const QListWidgetItem* selected = list_->currentItem();
  const QVariant id = selected ? selected->data(Qt::UserRole) : QVariant();
  int current = std::min(list_->currentRow(), static_cast<int>(runs.size()) - 1);
  const QSignalBlocker blocker(list_);
  list_->clear();
  for (const QueuedRun& run : runs) {
    auto* item = new QListWidgetItem(queuedText(run), list_);
    item->setToolTip(item->text());
    item->setData(Qt::UserRole, QVariant::fromValue<quint64>(run.id));
    if (item->data(Qt::UserRole) == id) current = list_->count() - 1;
  }
  list_->setCurrentRow(current);
}

void QueuePanel::showQueue() {
  fillList();
  const int count = list_->count();
  list_->setVisible(count > 0);
  int height = 4;
  for (int row = 0; row < std::min(count, kMostRowsShown); ++row) {
    height += list_->sizeHintForRow(row);
  }
  list_->setFixedHeight(height);
  if (count == 0) {
    title_->setText(u"Queue"_s);
  } else if (count == 1) {
    title_->setText(queue_.isWaiting() ? u"One run is queued, and waits"_s
                                       : u"One run is queued"_s);
  } else {
    title_->setText(
        (queue_.isWaiting() ? u"%1 runs are queued, and wait"_s : u"%1 runs are queued"_s)
            .arg(count));
  }
  train_->setVisible(queue_.isWaiting());
  owner_->setText(queue_.owner());
  owner_->setVisible(!queue_.owner().isEmpty());
  problem_->setText(queue_.fileProblem());
  problemRow_->setVisible(!queue_.fileProblem().isEmpty());
  setVisible(count > 0 || !queue_.owner().isEmpty() || !queue_.fileProblem().isEmpty());
  updateButtons();
}

void QueuePanel::updateButtons() {
  const int row = list_->currentRow();
  const bool mayMove = !queue_.isStarting();
  up_->setEnabled(mayMove && row > 0);
  down_->setEnabled(mayMove && row >= 0 && row + 1 < list_->count());
  remove_->setEnabled(row >= 0);
  for (QToolButton* button : {up_, down_, remove_}) button->setVisible(list_->count() > 0);
}

void QueuePanel::updateIcons() {
  up_->setIcon(icon(u"chevron-up"_s, *this));
  down_->setIcon(icon(u"chevron-down"_s, *this));
  remove_->setIcon(icon(u"trash"_s, *this));
  dismiss_->setIcon(icon(u"close"_s, *this));
}

void QueuePanel::moveBy(int rows) {
  queue_.move(list_->currentRow(), list_->currentRow() + rows);
}

void QueuePanel::removeCurrent() {
  queue_.remove(list_->currentRow());
}

bool QueuePanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto& key = *static_cast<QKeyEvent*>(event);
  if (key.key() == Qt::Key_Delete) {
    removeCurrent();
  } else if (key.modifiers() == Qt::AltModifier && key.key() == Qt::Key_Up) {
    moveBy(-1);
  } else if (key.modifiers() == Qt::AltModifier && key.key() == Qt::Key_Down) {
    moveBy(1);
  } else {
    return QFrame::eventFilter(watched, event);
  }
  return true;
}

}  // namespace lambda
