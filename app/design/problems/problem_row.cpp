#include "app/design/problems/problem_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

ProblemRow::ProblemRow(const ProblemGroup& group, QWidget* parent) : QFrame(parent) {
  const Colors& colors = colorsOf(*this);
  const bool isError = group.front().severity == Severity::error;
  const QString place = placeOf(group);
  const QString text = textOf(group);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName((isError ? u"Error"_s : u"Warning"_s) + u": "_s + place + u": "_s + text);
  setToolTip(group.size() == 1 ? u"Show where this is"_s : u"Select these blocks"_s);

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 4, 16, 4);
  layout->setSpacing(8);
  auto* sign = new QLabel(this);
  sign->setPixmap(icon(isError ? u"error"_s : u"warning"_s, isError ? colors.error : colors.warning)
                      .pixmap(iconSizeForText(), devicePixelRatioF()));
  layout->addWidget(sign);
  auto* words =
      new QLabel(u"<b>%1</b>&nbsp; %2"_s.arg(place.toHtmlEscaped(), text.toHtmlEscaped()), this);
  words->setTextFormat(Qt::RichText);
  words->setWordWrap(true);
  layout->addWidget(words, 1);
  const QString fix = fixTextOf(group);
  if (fix.isEmpty()) return;
  auto* button = new QPushButton(fix, this);
  button->setObjectName(u"fix"_s);
  button->setCursor(Qt::ArrowCursor);
  connect(button, &QPushButton::clicked, this, &ProblemRow::fixRequested);
  layout->addWidget(button);
}

void ProblemRow::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? QPen(colors.accent, 1.5) : QPen(Qt::NoPen));
  painter.setBrush(underMouse() ? QBrush(colors.hover) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(QRectF(rect()).adjusted(6, 1, -6, -1), 6, 6);
}

void ProblemRow::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->pos())) Q_EMIT activated();
}

void ProblemRow::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) {
    Q_EMIT activated();
    return;
  }
  QFrame::keyPressEvent(event);
}

void ProblemRow::enterEvent(QEnterEvent* event) {
  QFrame::enterEvent(event);
  update();
}

void ProblemRow::leaveEvent(QEvent* event) {
  QFrame::leaveEvent(event);
  update();
}

}  // namespace lambda
