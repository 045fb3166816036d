#include "widgets/forms/switch_box.h"

#include <QPainter>

#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

namespace lambda {

namespace {

constexpr double kTrackWidth = 32;
constexpr double kTrackHeight = 18;

}  // namespace

SwitchBox::SwitchBox(QWidget* parent) : QCheckBox(parent) {
  setFocusPolicy(Qt::StrongFocus);
}

QSize SwitchBox::sizeHint() const {
  return QSizeF((kTrackWidth + 4) * textScale(), (kTrackHeight + 4) * textScale()).toSize();
}

bool SwitchBox::hitButton(const QPoint& position) const {
  return rect().contains(position);
}

void SwitchBox::nextCheckState() {
  setCheckState(isChecked() && checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void SwitchBox::enterEvent(QEnterEvent* event) {
  QCheckBox::enterEvent(event);
  update();
}

void SwitchBox::leaveEvent(QEvent* event) {
  QCheckBox::leaveEvent(event);
  update();
}

void SwitchBox::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(*this);
  const double scale = textScale();
  const bool on = checkState() == Qt::Checked;
  const bool mixed = checkState() == Qt::PartiallyChecked;
  QRectF track(0, 0, kTrackWidth * scale, kTrackHeight * scale);
  track.moveCenter(QRectF(rect()).center());
  const double radius = track.height() / 2;

  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor ground = on ? colors.accent : colors.convolutionChip;
  if (!isEnabled()) ground = colors.hairline;
  if (isEnabled() && underMouse()) ground = colors.dark ? ground.lighter(112) : ground.darker(106);
  painter.setPen(on ? QPen(Qt::NoPen) : QPen(colors.textDisabled, 1));
  painter.setBrush(ground);
  painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);

  const QColor knob = on ? colors.accentText : (colors.dark ? colors.textSecondary : colors.raised);
  painter.setPen(on ? QPen(Qt::NoPen) : QPen(colors.textDisabled, 1));
  painter.setBrush(isEnabled() ? knob : colors.surface);
  if (mixed) {
    painter.setPen(QPen(colors.textSecondary, 2 * scale, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(track.center().x() - 5 * scale, track.center().y()),
                     QPointF(track.center().x() + 5 * scale, track.center().y()));
  } else {
    const double inset = radius;
    const double x = on ? track.right() - inset : track.left() + inset;
    painter.drawEllipse(QPointF(x, track.center().y()), radius - 3 * scale, radius - 3 * scale);
  }
  if (hasFocus()) {
    painter.setPen(QPen(colors.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(track.adjusted(-1.5, -1.5, 1.5, 1.5), radius + 1.5, radius + 1.5);
  }
}

}  // namespace lambda
