#include "app/train/run/event_list.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QPalette>
#include <QScrollBar>

#include "app/session/training/training_session.h"
#include "app/train/training_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString textOf(const EventRecord& event) {
  const QString title = eventTitle(event.kind);
  const QString text = QString::fromStdString(event.text).simplified();
  if (text.isEmpty() || text.compare(title, Qt::CaseInsensitive) == 0) return title;
  // A text such as "stopped at step 40" already contains the title.
  if (text.startsWith(title, Qt::CaseInsensitive)) return title + text.mid(title.size());
  return title + u": "_s + text;
}

}  // namespace

// ---- the model ----

void EventModel::setEvents(const std::vector<EventRecord>& all) {
  if (all.size() == events_.size()) return;
  if (all.size() < events_.size()) clear();
  const int first = static_cast<int>(events_.size());
  beginInsertRows({}, first, static_cast<int>(all.size()) - 1);
  events_.insert(events_.end(), all.begin() + first, all.end());
  endInsertRows();
}

void EventModel::clear() {
  beginResetModel();
  events_.clear();
  endResetModel();
}

int EventModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(events_.size());
}

int EventModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const EventRecord& event = at(index.row());
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == kTime) return clockText(event.seconds);
      if (index.column() == kStep) return countText(event.step);
      return textOf(event);
    case Qt::ToolTipRole:
      return QString::fromStdString(event.text);
    case Qt::TextAlignmentRole:
      if (index.column() != kText) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
      return {};
    case Qt::FontRole:
      if (index.column() != kText) return numberFont();
      return {};
    case Qt::ForegroundRole: {
      const bool isDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
      const Colors& colors = isDark ? darkColors() : lightColors();
      if (event.kind == EventKind::failed) return colors.error;
      if (event.kind == EventKind::warning) return colors.warning;
      if (index.column() != kText) return colors.textSecondary;
      return {};
    }
    default:
      return {};
  }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section == kText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kTime:
      return u"Time"_s;
    case kStep:
      return u"Step"_s;
    case kText:
      return u"What happened"_s;
    default:
      return {};
  }
}

// ---- the list ----

EventList::EventList(TrainingSession& session, QWidget* parent)
    : QTableView(parent), session_(session), model_(new EventModel(this)) {
  setModel(model_);
  setAccessibleName(u"Events of the training"_s);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setFrameShape(NoFrame);
  setStyleSheet(u"QTableView { border: none; border-radius: 0; background: transparent; }"_s);
  verticalHeader()->hide();
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->hide();
  updateSizes();
  connect(&session_, &TrainingSession::started, this, [this] {
    model_->clear();
    catchUp();
  });
  connect(&session_, &TrainingSession::metricsArrived, this, [this](const MetricsUpdate& update) {
    if (!update.events.empty()) catchUp();
  });
  connect(&session_, &TrainingSession::ended, this, &EventList::catchUp);
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
    Q_EMIT eventChosen(model_->at(index.row()));
  });
  onFontChange(*this, [this] { updateSizes(); });
}

void EventList::updateSizes() {
  const QFontMetrics metrics(numberFont());
  verticalHeader()->setDefaultSectionSize(metrics.height() + 8);
  setColumnWidth(EventModel::kTime, metrics.horizontalAdvance(u"00:00:00"_s) + 16);
  setColumnWidth(EventModel::kStep, metrics.horizontalAdvance(u"000,000"_s) + 24);
}

QSize EventList::sizeHint() const {
  return {400, 6 * (fontMetrics().height() + 8)};
}

void EventList::catchUp() {
  if (!isVisible()) return;
  const bool isAtEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 2;
  model_->setEvents(session_.metrics().events);
  if (isAtEnd) scrollToBottom();
}

void EventList::showEvent(QShowEvent* event) {
  QTableView::showEvent(event);
  catchUp();
}

void EventList::keyPressEvent(QKeyEvent* event) {
  const QModelIndex before = currentIndex();
  QTableView::keyPressEvent(event);
  const QModelIndex now = currentIndex();
  if (now.isValid() && now.row() != before.row()) Q_EMIT eventChosen(model_->at(now.row()));
}

}  // namespace lambda
