#include "app/design/gallery/card_gallery.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <QAbstractButton>
#include <QApplication>
#include <QEvent>
#include <QGraphicsDropShadowEffect>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kScrollBar = 10;
/// Width that the margins, the scroll bar and both borders take from the cards.
constexpr int kFrame = 2 * spacing::kMargin + kScrollBar + 2;

}  // namespace

CardGallery::CardGallery(const QString& title, const QString& note, QWidget* parent)
    : QFrame(parent),
      header_(new QHBoxLayout),
      note_(new QLabel(note, this)),
      content_(new QWidget),
      area_(new QScrollArea(this)),
      close_(new QToolButton(this)) {
  setProperty(kRole, u"card"_s);
  setAccessibleName(title);
  auto* heading = new QLabel(title, this);
  heading->setProperty(kRole, u"heading"_s);
  note_->setProperty(kRole, u"secondary"_s);
  note_->setWordWrap(true);
  close_->setProperty(kRole, u"quiet"_s);
  close_->setToolTip(u"Close (Esc)"_s);
  close_->setAccessibleName(u"Close"_s);
  connect(close_, &QToolButton::clicked, this, &CardGallery::dismiss);
  header_->setSpacing(12);
  header_->addWidget(heading);
  header_->addWidget(note_, 1);
  header_->addWidget(close_);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setWidget(content_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(spacing::kMargin, 10, spacing::kMargin, spacing::kMargin);
  layout->setSpacing(8);
  layout->addLayout(header_);
  layout->addWidget(area_, 1);
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(28);
  shadow->setOffset(0, 6);
  shadow->setColor(QColor(0, 0, 0, 70));
  setGraphicsEffect(shadow);
  hide();
  onPaletteChange(*this, [this] { close_->setIcon(icon(u"close"_s, *this)); });
}

void CardGallery::openOver(const QRect& area) {
  if (!isVisible()) opener_ = QApplication::focusWidget();
  resize(contentWidth(area.width() - kFrame) + kFrame, area.height());
  ensurePolished();
  layout()->activate();
  placeCards();
  const int chrome = height() - area_->viewport()->height();
  resize(width(), std::min(area.height(), content_->height() + chrome));
  move(area.topLeft());
  show();
  raise();
}

bool CardGallery::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Typed letters must not change the network behind the cards.
    const auto modifiers = static_cast<QKeyEvent*>(event)->modifiers();
    if (!(modifiers & (Qt::ControlModifier | Qt::AltModifier))) {
      event->accept();
      return true;
    }
  }
  return QFrame::event(event);
}

bool CardGallery::eventFilter(QObject* watched, QEvent* event) {
  const bool isMove =
      event->type() == QEvent::KeyPress &&
      moveFrom(*static_cast<QAbstractButton*>(watched), static_cast<QKeyEvent*>(event)->key());
  return isMove || QFrame::eventFilter(watched, event);
}

void CardGallery::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  Q_EMIT closed();
}

void CardGallery::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    dismiss();
    return;
  }
  QFrame::keyPressEvent(event);
}

void CardGallery::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  placeCards();
}

void CardGallery::addControl(QWidget& control) {
  header_->insertWidget(header_->count() - 1, &control);
}

void CardGallery::scrollToTop() {
  area_->ensureVisible(0, 0);
}

void CardGallery::addCard(QAbstractButton& card) {
  // A button would lead arrow keys to the next one in any direction.
  card.installEventFilter(this);
}

void CardGallery::focusCard(QAbstractButton& card, Qt::FocusReason reason) {
  card.setFocus(reason);
  area_->ensureWidgetVisible(&card, 0, spacing::kMargin);
}

void CardGallery::dismiss() {
  // Without a target the focus of a hidden card goes to the first widget of the page.
  if (opener_) opener_->setFocus(Qt::OtherFocusReason);
  hide();
}

/// Moves the cursor from a card in the direction of an arrow key: to the card before or after it,
/// or to the one above or below it. False for other keys.
bool CardGallery::moveFrom(QAbstractButton& card, int key) {
  const bool isVertical = key == Qt::Key_Up || key == Qt::Key_Down;
  if (!isVertical && key != Qt::Key_Left && key != Qt::Key_Right) return false;
  const int direction = key == Qt::Key_Up || key == Qt::Key_Left ? -1 : 1;
  auto cards = content_->findChildren<QAbstractButton*>(Qt::FindDirectChildrenOnly);
  cards.removeIf([this](const QAbstractButton* each) { return !each->isVisibleTo(content_); });
  const qsizetype place = cards.indexOf(&card);
  QAbstractButton* next = isVertical ? nullptr : cards.value(place + direction);
  std::pair<int, int> least;
  for (QAbstractButton* each : cards) {
    const std::pair distance{direction * (each->y() - card.y()), std::abs(each->x() - card.x())};
    if (!isVertical || distance.first <= 0 || (next && distance >= least)) continue;
    next = each;
    least = distance;
  }
  if (next) focusCard(*next, Qt::TabFocusReason);
  return true;
}

void CardGallery::placeCards() {
  const int width = this->width() - kFrame;
  content_->resize(width, arrange(width));
}

}  // namespace lambda
