#include "app/design/gallery/mixer_card.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QTextDocument>
#include <QVBoxLayout>

#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kPadding = 12;
constexpr QSize kPicture(92, 62);

QString titleOf(const MixerOffer& offer) {
  QString title = QString::fromUtf8(traitsOf(offer.mixer).name);
  title[0] = title[0].toUpper();
  return title;
}

/// "Positions n 8 × 8 = 64 · Heads that share it 4"
QString numbersOf(const MixerOffer& offer) {
  QStringList parts;
  for (const auto& [name, value] : offer.explanation.numbers) parts << name + u": "_s + value;
  return parts.join(u" · "_s);
}

QString plainText(const QString& rich) {
  QTextDocument document;
  document.setHtml(rich);
  return document.toPlainText();
}

}  // namespace

MixerCard::MixerCard(const MixerOffer& offer, QWidget* parent)
    : QAbstractButton(parent), offer_(offer) {
  setCheckable(true);
  setChecked(offer.isPresent);
  setText(titleOf(offer));
  setAccessibleName(text());
  setAccessibleDescription(mixerBrief(offer.mixer) + u' ' + relativeCostText(offer) + u". "_s +
                           plainText(offer.explanation.formula));
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  const double scale = textScale();
  layout->setContentsMargins(qRound((2 * kPadding + kPicture.width()) * scale),
                             qRound(kPadding * scale),
                             qRound(kPadding * scale),
                             qRound(kPadding * scale));
  layout->setSpacing(qRound(3 * scale));
  const auto add = [&](const QString& text, const QString& role) {
    auto* label = new QLabel(text, this);
    label->setWordWrap(true);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    if (!role.isEmpty()) label->setProperty(kRole, role);
    // Its height is needed before it is shown.
    label->ensurePolished();
    layout->addWidget(label);
    return label;
  };
  add(u"<b>%1</b>"_s.arg(text().toHtmlEscaped()), {});
  add(mixerBrief(offer.mixer), {});
  add(offer.explanation.formula, {})->setTextFormat(Qt::RichText);
  add(numbersOf(offer), u"hint"_s);
  add(relativeCostText(offer), u"hint"_s);
  layout->addStretch();
}

QSize MixerCard::sizeHint() const {
  return layout()->sizeHint();
}

void MixerCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    click();
    return;
  }
  QAbstractButton::keyPressEvent(event);
}

void MixerCard::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void MixerCard::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

void MixerCard::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(*this);
  const double scale = textScale();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QPen frame = hasFocus()    ? QPen(colors.accent, 2)
                     : isChecked() ? QPen(colors.accent, 1)
                                   : QPen(colors.hairline, 1);
  painter.setPen(frame);
  const bool isSoft = isDown() || isChecked();
  painter.setBrush(isSoft ? colors.accentSoft : underMouse() ? colors.hover : colors.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  const QRectF picture(QPointF(kPadding, kPadding) * scale, QSizeF(kPicture) * scale);
  paintQueryView(
      painter, picture, queryViewOf(offer_.mixer), colorsOfMixer(offer_.mixer, colors), colors);
}

}  // namespace lambda
