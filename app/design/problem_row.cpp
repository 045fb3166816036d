#include "app/design/problem_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/forms/sentence.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

ProblemRow::ProblemRow(const Problem& problem, const QString& place, QWidget* parent)
    : QFrame(parent) {
  const Colors& colors = colorsOf(*this);
  const bool isError = problem.severity == Severity::error;
  const QString text = sentence(problem.text);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName((isError ? tr("Error") : tr("Warning")) + u": "_s + place + u": "_s + text);
  setToolTip(tr("Show where this is"));

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 6, 16, 8);
  layout->setSpacing(8);
  auto* sign = new QLabel(this);
  const int side = qRound(16 * textScale());
  sign->setPixmap(icon(isError ? u"error"_s : u"warning"_s, isError ? colors.error : colors.warning)
                      .pixmap(QSize(side, side), devicePixelRatioF()));
  layout->addWidget(sign, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  layout->addLayout(column, 1);
  auto* where = new QLabel(place, this);
  QFont bold = bodyFont();
  bold.setWeight(QFont::DemiBold);
  where->setFont(bold);
  auto* words = new QLabel(text, this);
  words->setWordWrap(true);
  words->setProperty(kRole, u"secondary"_s);
  column->addWidget(where);
  column->addWidget(words);
  if (!problem.fix) return;
  auto* button = new QPushButton(QString::fromStdString(problem.fix->label), this);
  button->setObjectName(u"fix"_s);
  button->setCursor(Qt::ArrowCursor);
  connect(button, &QPushButton::clicked, this, &ProblemRow::fixRequested);
  column->addSpacing(2);
  column->addWidget(button, 0, Qt::AlignLeft);
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
