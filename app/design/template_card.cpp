#include "app/design/template_card.h"

#include <algorithm>

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QTextLayout>
#include <QTextOption>

#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(264, 146);
constexpr int kPadding = 12;

/// Draws as many lines as fit, the last one elided.
void drawWrapped(QPainter& painter, const QRectF& box, const QString& text) {
  QTextLayout layout(text, painter.font());
  layout.setTextOption(QTextOption(Qt::AlignLeft));
  const QFontMetricsF metrics(painter.font());
  double y = box.top();
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(box.width());
    const bool isLast = y + 2 * metrics.lineSpacing() > box.bottom() + 1;
    const int start = line.textStart();
    const QString rest = isLast ? metrics.elidedText(text.mid(start), Qt::ElideRight, box.width())
                                : text.mid(start, line.textLength());
    painter.drawText(QPointF(box.left(), y + metrics.ascent()), rest);
    y += metrics.lineSpacing();
    if (isLast) break;
  }
  layout.endLayout();
}

}  // namespace

TemplateCard::TemplateCard(const Template& shown, QWidget* parent)
    : QAbstractButton(parent), template_(shown), cost_(costOf(shown.config.architecture)) {
  const Architecture& architecture = shown.config.architecture;
  setText(QString::fromStdString(architecture.name));
  setAccessibleName(text());
  setAccessibleDescription(QString::fromStdString(architecture.description));
  setToolTip(QString::fromStdString(architecture.description));
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  setFixedSize(kSize * textScale());
}

QSize TemplateCard::sizeHint() const {
  return kSize * textScale();
}

void TemplateCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    click();
    return;
  }
  QAbstractButton::keyPressEvent(event);
}

void TemplateCard::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void TemplateCard::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

void TemplateCard::changeEvent(QEvent* event) {
  QAbstractButton::changeEvent(event);
  if (event->type() == QEvent::FontChange) setFixedSize(sizeHint());
}

void TemplateCard::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(*this);
  const double scale = textScale();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? QPen(colors.accent, 1.5) : QPen(colors.hairline, 1));
  painter.setBrush(isDown() ? colors.accentSoft : underMouse() ? colors.hover : colors.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

  const double pad = kPadding * scale;
  const QRectF inside = QRectF(rect()).adjusted(pad, pad, -pad, -pad);
  QFont bold = bodyFont();
  bold.setWeight(QFont::DemiBold);
  const QRectF title(inside.left(), inside.top(), inside.width(), 18 * scale);
  painter.setFont(bold);
  painter.setPen(colors.text);
  painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, text());
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(title,
                   Qt::AlignRight | Qt::AlignVCenter,
                   u"%1 parameters"_s.arg(shortCountText(cost_.parameters)));
  paintPattern(painter, {inside.left(), title.bottom() + 6 * scale, inside.width(), 26 * scale});
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  const double top = title.bottom() + 38 * scale;
  drawWrapped(painter,
              {inside.left(), top, inside.width(), inside.bottom() - top},
              QString::fromStdString(template_.config.architecture.description));
}

/// One square per block, one column per stage; many blocks make small squares.
void TemplateCard::paintPattern(QPainter& painter, const QRectF& box) const {
  const Colors& colors = colorsOf(*this);
  const double scale = textScale();
  double x = box.left();
  painter.setPen(Qt::NoPen);
  for (const Stage& stage : template_.config.architecture.stages) {
    const double side = 11 * scale;
    const double gap = 3 * scale;
    const int lines = 2;
    int index = 0;
    for (const Block& block : stage.blocks) {
      const int column = index / lines;
      const int line = index % lines;
      const QRectF square(x + column * (side + gap), box.top() + line * (side + gap), side, side);
      painter.setBrush(colorsOfMixer(block.mixer, colors).ground);
      painter.drawRoundedRect(square, 2.5 * scale, 2.5 * scale);
      ++index;
    }
    const int columns = (index + lines - 1) / lines;
    x += std::max(1, columns) * (side + gap) + 8 * scale;
  }
}

}  // namespace lambda
