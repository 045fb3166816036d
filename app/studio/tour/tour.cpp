#include "app/studio/tour/tour.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <QEvent>
#include <QWidget>

#include "app/studio/tour/tour_card.h"
#include "app/studio/tour/tour_frame.h"

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kFollow{150};

}  // namespace

Tour::Tour(QWidget& window, std::vector<TourStop> stops, QObject* parent)
    : QObject(parent), window_(window), stops_(std::move(stops)) {
  follow_.setInterval(kFollow);
  connect(&follow_, &QTimer::timeout, this, &Tour::place);
}

Tour::~Tour() = default;

void Tour::begin() {
  if (!isActive()) {
    frame_ = new TourFrame(window_);
    card_ = new TourCard(window_);
    connect(card_, &TourCard::nextRequested, this, [this] { goTo(current_ + 1); });
    connect(card_, &TourCard::backRequested, this, [this] { goTo(current_ - 1); });
    connect(card_, &TourCard::endRequested, this, &Tour::end);
    window_.installEventFilter(this);
    follow_.start();
  }
  goTo(0);
}

void Tour::end() {
  follow_.stop();
  window_.removeEventFilter(this);
  // They may be in the middle of a key press.
  for (QWidget* widget : std::initializer_list<QWidget*>{card_, frame_}) {
    if (!widget) continue;
    widget->hide();
    widget->deleteLater();
  }
  card_ = nullptr;
  frame_ = nullptr;
}

void Tour::goTo(int stop) {
  if (stop >= static_cast<int>(stops_.size())) {
    end();
    return;
  }
  current_ = std::max(stop, 0);
  const TourStop& shown = stops_[static_cast<std::size_t>(current_)];
  if (shown.goTo) shown.goTo();
  card_->showStop(shown.title, shown.text, current_, static_cast<int>(stops_.size()));
  place();
}

void Tour::place() {
  if (!isActive()) return;
  const QWidget* control = stops_[static_cast<std::size_t>(current_)].control();
  QRect around;
  if (control && control->isVisible()) {
    around =
        QRect(control->mapTo(&window_, QPoint(0, 0)), control->size()).intersected(window_.rect());
  }
  frame_->surround(around);
  card_->placeBeside(around);
  card_->raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize)
    QMetaObject::invokeMethod(this, &Tour::place, Qt::QueuedConnection);
  return QObject::eventFilter(watched, event);
}

}  // namespace lambda
