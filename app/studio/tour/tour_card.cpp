#include "app/studio/tour/tour_card.h"

#include <algorithm>
#include <array>

#include <QAccessible>
#include <QGraphicsDropShadowEffect>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kCardWidth = 340;
constexpr int kCardGap = 14;
constexpr int kCardMargin = 12;

}  // namespace

TourCard::TourCard(QWidget& window)
    : QFrame(&window),
      title_(new QLabel),
      text_(new QLabel),
      count_(new QLabel),
      skip_(new QPushButton(u"Skip the tour"_s)),
      back_(new QPushButton(u"Back"_s)),
      next_(new QPushButton) {
  setProperty(kRole, u"card"_s);
  setAutoFillBackground(true);
  setFocusPolicy(Qt::StrongFocus);
  title_->setProperty(kRole, u"heading"_s);
  title_->setWordWrap(true);
  text_->setWordWrap(true);
  count_->setProperty(kRole, u"secondary"_s);
  skip_->setProperty(kRole, u"quiet"_s);
  next_->setProperty(kRole, u"primary"_s);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 14);
  column->setSpacing(8);
  column->addWidget(title_);
  column->addWidget(text_);
  column->addSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(count_);
  row->addStretch();
  for (QPushButton* button : {skip_, back_, next_}) {
    row->addWidget(button);
    button->installEventFilter(this);
  }
  column->addLayout(row);
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(28);
  shadow->setOffset(0, 6);
  shadow->setColor(QColor(0, 0, 0, 90));
  setGraphicsEffect(shadow);
  connect(skip_, &QPushButton::clicked, this, &TourCard::endRequested);
  connect(back_, &QPushButton::clicked, this, &TourCard::backRequested);
  connect(next_, &QPushButton::clicked, this, &TourCard::nextRequested);
}

void TourCard::showStop(const QString& title, const QString& text, int stop, int count) {
  const bool isLast = stop + 1 == count;
  title_->setText(title);
  text_->setText(text);
  count_->setText(u"%1 of %2"_s.arg(stop + 1).arg(count));
  skip_->setVisible(!isLast);
  back_->setVisible(stop > 0);
  next_->setText(isLast ? u"Done"_s : u"Next"_s);
  setAccessibleName(u"Tour, %1 of %2: %3"_s.arg(stop + 1).arg(count).arg(title));
  setAccessibleDescription(text);
  show();
  raise();
  next_->setFocus(Qt::PopupFocusReason);
  QAccessibleEvent told(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&told);
}

QSize TourCard::fittingSize() const {
  const int most = parentWidget()->width() - 2 * kCardMargin;
  const int width =
      std::min(std::max(qRound(kCardWidth * textScale()), minimumSizeHint().width()), most);
  return {width, layout()->totalHeightForWidth(width)};
}

void TourCard::placeBeside(const QRect& place) {
  const QSize size = fittingSize();
  const QRect ground =
      parentWidget()->rect().adjusted(kCardMargin, kCardMargin, -kCardMargin, -kCardMargin);
  QPoint at = ground.center() - QPoint(size.width() / 2, size.height() / 2);
  if (!place.isEmpty()) {
    const std::array besides{
        QPoint(place.right() + kCardGap, place.top()),
        QPoint(place.left() - kCardGap - size.width(), place.top()),
        QPoint(place.left(), place.bottom() + kCardGap),
        QPoint(place.left(), place.top() - kCardGap - size.height()),
    };
    const bool isSide[] = {place.right() + kCardGap + size.width() <= ground.right(),
                           place.left() - kCardGap - size.width() >= ground.left(),
                           place.bottom() + kCardGap + size.height() <= ground.bottom(),
                           place.top() - kCardGap - size.height() >= ground.top()};
    const auto fits = std::ranges::find(isSide, true);
    at = fits == std::end(isSide)
             ? place.bottomRight() - QPoint(size.width() + kCardGap, size.height() + kCardGap)
             : besides[static_cast<std::size_t>(fits - std::begin(isSide))];
  }
  const int rightmost = std::max(ground.left(), ground.right() - size.width());
  const int lowest = std::max(ground.top(), ground.bottom() - size.height());
  at.setX(std::clamp(at.x(), ground.left(), rightmost));
  at.setY(std::clamp(at.y(), ground.top(), lowest));
  if (geometry() != QRect(at, size)) setGeometry(QRect(at, size));
}

bool TourCard::handles(int key) {
  switch (key) {
    case Qt::Key_Escape:
      Q_EMIT endRequested();
      return true;
    case Qt::Key_Right:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT nextRequested();
      return true;
    case Qt::Key_Left:
      Q_EMIT backRequested();
      return true;
    default:
      return false;
  }
}

void TourCard::keyPressEvent(QKeyEvent* event) {
  if (!handles(event->key())) QFrame::keyPressEvent(event);
}

/// The arrow keys of buttons move the focus, and Return presses only some of them.
bool TourCard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool presses = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (presses && watched != next_) {
      static_cast<QPushButton*>(watched)->click();
      return true;
    }
    if (handles(key)) return true;
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace lambda
