#include "app/design/notice_line.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

NoticeLine::NoticeLine(QWidget* parent)
    : QFrame(parent), sign_(new QLabel(this)), text_(new QLabel(this)) {
  setProperty(kRole, u"notice"_s);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setText(u"×"_s);
  close->setToolTip(u"Close this notice"_s);
  close->setAccessibleName(close->toolTip());
  close->setProperty(kRole, u"quiet"_s);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 4, 8, 4);
  layout->setSpacing(8);
  layout->addWidget(sign_);
  layout->addWidget(text_, 1);
  layout->addWidget(close);
  hide();
  onPaletteChange(*this, [this] { showSign(); });
}

void NoticeLine::tell(const QString& text, bool isFailure) {
  text_->setText(text);
  isFailure_ = isFailure;
  showSign();
  show();
  setAccessibleName(text);
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

QString NoticeLine::text() const {
  return isHidden() ? QString() : text_->text();
}

void NoticeLine::showSign() {
  const Colors& colors = colorsOf(*this);
  const QIcon sign = isFailure_ ? icon(u"error"_s, colors.error) : icon(u"info"_s, colors.accent);
  sign_->setPixmap(sign.pixmap(iconSizeForText(), devicePixelRatioF()));
}

}  // namespace lambda
