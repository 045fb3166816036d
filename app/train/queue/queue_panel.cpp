#include "app/train/queue/queue_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/training_queue.h"
#include "app/train/caption.h"
#include "app/train/icon_sizes.h"
#include "app/train/training_text.h"
#include "widgets/theme/icons.h"
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
         QueuePanel::tr("Could not start: %1")
             .arg(QString::fromStdString(run.obstacle).simplified());
}

}  // namespace

QueuePanel::QueuePanel(TrainingQueue& queue, QWidget* parent)
    : QFrame(parent),
      queue_(queue),
      title_(makeCaption(this, {})),
      problem_(new QLabel(this)),
      list_(new QListWidget(this)),
      train_(new QPushButton(tr("Train the queue"), this)) {
  setProperty(kRole, u"card"_s);
  title_->setObjectName(u"queueTitle"_s);
  problem_->setProperty(kRole, u"error"_s);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setWordWrap(true);
  problem_->hide();
  list_->setAccessibleName(tr("Queued runs"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setStyleSheet(
      u"QListWidget { background: transparent; border: none; }"
      "QListWidget::item { padding: 4px; }"_s);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideRight);
  list_->installEventFilter(this);
  train_->setObjectName(u"trainQueue"_s);
  train_->setToolTip(tr("Train the queued runs one after the other"));
  auto* head = new QHBoxLayout;
  head->addWidget(title_);
  head->addStretch();
  const auto add = [&](const QString& name, const QString& toolTip) {
    auto* button = new QToolButton(this);
    button->setProperty(kRole, u"quiet"_s);
    button->setAccessibleName(name);
    button->setToolTip(toolTip);
    head->addWidget(button);
    return button;
  };
  up_ = add(tr("Train earlier"), tr("Train this run earlier (Alt+Up)"));
  down_ = add(tr("Train later"), tr("Train this run later (Alt+Down)"));
  remove_ = add(tr("Remove from the queue"), tr("Remove this run from the queue (Del)"));
  head->addWidget(train_);
  auto* column = new QVBoxLayout(this);
  column->addLayout(head);
  column->addWidget(problem_);
  column->addWidget(list_);
  connect(up_, &QToolButton::clicked, this, [this] { moveBy(-1); });
  connect(down_, &QToolButton::clicked, this, [this] { moveBy(1); });
  connect(remove_, &QToolButton::clicked, this, &QueuePanel::removeCurrent);
  connect(train_, &QPushButton::clicked, &queue_, &TrainingQueue::trainNext);
  connect(list_, &QListWidget::currentRowChanged, this, &QueuePanel::updateButtons);
  connect(&queue_, &TrainingQueue::changed, this, &QueuePanel::showQueue);
  connect(&queue_, &TrainingQueue::fileFailed, this, &QueuePanel::showFileProblem);
  updateIcons();
  showQueue();
}

void QueuePanel::showFileProblem(const QString& reason) {
  problem_->setText(reason);
  problem_->show();
  setVisible(true);
}

void QueuePanel::showQueue() {
  const std::vector<QueuedRun>& runs = queue_.runs();
  const int current = list_->currentRow();
  list_->clear();
  for (const QueuedRun& run : runs) {
    auto* item = new QListWidgetItem(queuedText(run), list_);
    item->setToolTip(item->text());
  }
  const int count = list_->count();
  list_->setVisible(count > 0);
  list_->setCurrentRow(std::min(current, count - 1));
  int height = 4;
  for (int row = 0; row < std::min(count, kMostRowsShown); ++row) {
    height += list_->sizeHintForRow(row);
  }
  list_->setFixedHeight(height);
  if (count == 0) {
    title_->setText(tr("Queue"));
  } else if (count == 1) {
    title_->setText(queue_.isWaiting() ? tr("One run is queued, and waits")
                                       : tr("One run is queued"));
  } else {
    title_->setText(
        (queue_.isWaiting() ? tr("%1 runs are queued, and wait") : tr("%1 runs are queued"))
            .arg(count));
  }
  train_->setVisible(queue_.isWaiting());
  setVisible(count > 0 || !problem_->isHidden());
  updateButtons();
}

void QueuePanel::updateButtons() {
  const int row = list_->currentRow();
  up_->setEnabled(row > 0);
  down_->setEnabled(row >= 0 && row + 1 < list_->count());
  remove_->setEnabled(row >= 0);
}

void QueuePanel::updateIcons() {
  up_->setIcon(icon(u"chevron-up"_s, *this));
  down_->setIcon(icon(u"chevron-down"_s, *this));
  remove_->setIcon(icon(u"trash"_s, *this));
  fitIconsToText(*this);
}

void QueuePanel::moveBy(int rows) {
  const int from = list_->currentRow();
  const int to = from + rows;
  if (from < 0 || to < 0 || to >= list_->count()) return;
  list_->setCurrentRow(to);
  queue_.move(from, to);
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

void QueuePanel::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateIcons();
}

}  // namespace lambda
