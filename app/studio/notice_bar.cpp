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
      choices_(new QHBoxLayout),
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
  layout->addLayout(choices_);
  layout->addWidget(close_);
  timer_->setSingleShot(true);
  timer_->setInterval(kStay);
  connect(timer_, &QTimer::timeout, this, &QWidget::hide);
  connect(close_, &QPushButton::clicked, this, &QWidget::hide);
  hide();
}

void NoticeBar::tell(Kind kind, const QString& text, const std::vector<Choice>& choices) {
  kind_ = kind;
  text_->setText(text);
  while (QLayoutItem* item = choices_->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  for (const Choice& choice : choices) {
    auto* button = new QPushButton(choice.text, this);
    connect(button, &QPushButton::clicked, this, [this, call = choice.call] {
      hide();
      call();
    });
    choices_->addWidget(button);
  }
  updateLooks();
  show();
  if (kind == Kind::failure || kind == Kind::question) {
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
