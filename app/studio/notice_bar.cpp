#include "app/studio/notice_bar.h"

#include <utility>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>

#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::seconds kStay{12};

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      action_(new QPushButton(this)),
      close_(new QPushButton(this)),
      timer_(new QTimer(this)) {
  setProperty(kRole, u"notice"_s);
  setAccessibleName(tr("Notice"));
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  close_->setProperty(kRole, u"quiet"_s);
  close_->setAccessibleName(tr("Close this notice"));
  close_->setToolTip(tr("Close"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 6, 8, 6);
  layout->setSpacing(10);
  layout->addWidget(icon_);
  layout->addWidget(text_, 1);
  layout->addWidget(action_);
  layout->addWidget(close_);
  timer_->setSingleShot(true);
  timer_->setInterval(kStay);
  connect(timer_, &QTimer::timeout, this, &QWidget::hide);
  connect(close_, &QPushButton::clicked, this, &QWidget::hide);
  connect(action_, &QPushButton::clicked, this, [this] {
    hide();
    if (call_) call_();
  });
  hide();
}

void NoticeBar::tell(Kind kind,
                     const QString& text,
                     const QString& actionText,
                     std::function<void()> action) {
  kind_ = kind;
  text_->setText(text);
  action_->setText(actionText);
  action_->setVisible(!actionText.isEmpty());
  call_ = std::move(action);
  updateLooks();
  show();
  if (kind == Kind::failure) {
    timer_->stop();
  } else {
    timer_->start();
  }
}

QString NoticeBar::text() const {
  return text_->text();
}

void NoticeBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) updateLooks();
}

void NoticeBar::updateLooks() {
  const QString name = kind_ == Kind::good      ? u"check"_s
                       : kind_ == Kind::failure ? u"error"_s
                                                : u"info"_s;
  const int side = qRound(18 * textScale());
  icon_->setPixmap(icon(name, *this).pixmap(side, side));
  close_->setIcon(icon(u"close"_s, *this));
}

}  // namespace lambda
