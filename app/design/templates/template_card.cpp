#include "app/design/templates/template_card.h"

#include <algorithm>

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QTextLayout>
#include <QTextOption>

#include "engine/values/architecture/cost.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(264, 146);
constexpr int kPadding = 12;
constexpr double kStageGap = 8;
constexpr double kTitleGap = 8;

/// The squares of a pattern, in pixels at the usual text size.
struct SquareGrid {
  int lines;
  double side;
  double gap;

  int columnsOf(const Stage& stage) const {
    return (static_cast<int>(stage.blocks.size()) + lines - 1) / lines;
  }
};

/// The largest squares with which all blocks fit into the width.
SquareGrid gridFor(const std::vector<Stage>& stages, double width) {
  constexpr int kFewestLines = 2, kMostLines = 8;
  constexpr double kSides = 22, kGaps = 6;  // Of all lines together.
  SquareGrid grid{kFewestLines, 0, 0};
  for (;; ++grid.lines) {
    grid.side = kSides / grid.lines;
    grid.gap = kGaps / grid.lines;
    double needed = 0;
    for (const Stage& stage : stages) {
      needed += std::max(1, grid.columnsOf(stage)) * (grid.side + grid.gap) + kStageGap;
    }
    if (needed - kStageGap - grid.gap <= width || grid.lines == kMostLines) return grid;
  }
}

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
    : QAbstractButton(parent), template_(shown) {
  const Architecture& architecture = shown.config.architecture;
  setText(QString::fromStdString(architecture.name));
  setAccessibleName(text());
  setAccessibleDescription(QString::fromStdString(architecture.description));
  setToolTip(QString::fromStdString(architecture.description));
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  setFixedSize(kSize * textScale());
  onFontChange(*this, [this] { setFixedSize(sizeHint()); });
}

bool TemplateCard::matches(const QString& text) const {
  const QString name = QString::fromStdString(template_.name);
  return name.contains(text, Qt::CaseInsensitive) ||
         this->text().contains(text, Qt::CaseInsensitive) ||
         toolTip().contains(text, Qt::CaseInsensitive);
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

void TemplateCard::paintEvent(QPaintEvent*) {
  if (!parameters_) parameters_ = costOf(template_.config.architecture).parameters;
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
  const QFontMetricsF boldMetrics(bold), smallMetrics(smallFont());
  const double gap = kTitleGap * scale;
  QString count = u"%1 parameters"_s.arg(shortCountText(*parameters_));
  const double needed =
      boldMetrics.horizontalAdvance(text()) + gap + smallMetrics.horizontalAdvance(count);
  if (needed > title.width()) count = shortCountText(*parameters_);
  const double left = title.width() - gap - smallMetrics.horizontalAdvance(count);
  painter.setFont(bold);
  painter.setPen(colors.text);
  painter.drawText(title,
                   Qt::AlignLeft | Qt::AlignVCenter,
                   boldMetrics.elidedText(text(), Qt::ElideRight, left));
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, count);
  paintPattern(painter, {inside.left(), title.bottom() + 6 * scale, inside.width(), 26 * scale});
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  const double top = title.bottom() + 38 * scale;
  drawWrapped(painter,
              {inside.left(), top, inside.width(), inside.bottom() - top},
              QString::fromStdString(template_.config.architecture.description));
}

/// One square per block, the stages side by side; many blocks make more lines of small squares.
void TemplateCard::paintPattern(QPainter& painter, const QRectF& box) const {
  const Colors& colors = colorsOf(*this);
  const std::vector<Stage>& stages = template_.config.architecture.stages;
  const double scale = textScale();
  const SquareGrid grid = gridFor(stages, box.width() / scale);
  const double side = grid.side * scale;
  const double pitch = side + grid.gap * scale;
  double x = box.left();
  painter.setPen(Qt::NoPen);
  for (const Stage& stage : stages) {
    int index = 0;
    for (const Block& block : stage.blocks) {
      const QRectF square(
          x + index / grid.lines * pitch, box.top() + index % grid.lines * pitch, side, side);
      painter.setBrush(colorsOfMixer(block.mixer, colors).ground);
      painter.drawRoundedRect(square, side / 4, side / 4);
      ++index;
    }
    x += std::max(1, grid.columnsOf(stage)) * pitch + kStageGap * scale;
  }
}

}  // namespace lambda
