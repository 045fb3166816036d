#include "widgets/tables/confusion_view.h"

#include <algorithm>
#include <utility>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/export/csv_field.h"
#include "widgets/tables/confusion_layout.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(560, 520);
constexpr QSize kSmallestSize(280, 260);

}  // namespace

ConfusionView::ConfusionView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  describeParts(*this,
                {.count = [this] { return matrix().classes * matrix().classes; },
                 .part =
                     [this](int index) {
                       const Cell cell{index / matrix().classes, index % matrix().classes};
                       return AccessiblePart{.name = sentenceFor(cell),
                                             .value = {},
                                             .place = rectOf(cell).toAlignedRect(),
                                             .isSelected = cell == current()};
                     }},
                QAccessible::Table);
  setAccessibleName(u"Confusion matrix"_s);
}

void ConfusionView::setMatrix(ConfusionMatrix matrix,
                              QStringList classNames,
                              const QString& title) {
  for (int i = static_cast<int>(classNames.size()); i < matrix.classes; ++i) {
    classNames << QString::number(i);
  }
  picture_.matrix = std::move(matrix);
  picture_.classNames = std::move(classNames);
  picture_.title = title;
  picture_.hovered.reset();
  const auto isOutside = [&](const Cell& cell) {
    return cell.row >= picture_.matrix.classes || cell.column >= picture_.matrix.classes;
  };
  if (picture_.current && isOutside(*picture_.current)) picture_.current.reset();
  update();
}

void ConfusionView::setScale(ConfusionScale scale) {
  picture_.scale = scale;
  update();
}

void ConfusionView::setCurrent(std::optional<Cell> cell) {
  picture_.current = cell;
  setAccessibleDescription(cell ? sentenceFor(*cell) : QString());
  update();
}

std::optional<Cell> ConfusionView::cellAt(const QPointF& position) const {
  const ConfusionLayout layout = layoutOf(shownPicture(), size());
  if (!layout.matrix.contains(position)) return std::nullopt;
  const QPointF inside = position - layout.matrix.topLeft();
  const int last = picture_.matrix.classes - 1;
  return Cell{std::min(last, static_cast<int>(inside.y() / layout.cell)),
              std::min(last, static_cast<int>(inside.x() / layout.cell))};
}

QRectF ConfusionView::rectOf(const Cell& cell) const {
  return layoutOf(shownPicture(), size()).rectOf(cell);
}

QString ConfusionView::sentenceFor(const Cell& cell) const {
  const QString share = percentText(picture_.rowShare(cell));
  const QString count = countText(picture_.countAt(cell));
  const QString total = countText(picture_.rowTotal(cell.row));
  const QString truth = picture_.classNames.value(cell.row);
  if (cell.row == cell.column) {
    return u"%1 of %2 %3 images (%4) were predicted correctly"_s.arg(count, total, truth, share);
  }
  return u"%1 of %2 %3 images (%4) were predicted as %5"_s.arg(
      count, total, truth, share, picture_.classNames.value(cell.column));
}

QString ConfusionView::exportName() const {
  return u"confusion"_s;
}

QSize ConfusionView::exportSize() const {
  return size().expandedTo(kPreferredSize);
}

void ConfusionView::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  ConfusionPicture picture = picture_;
  picture.hovered.reset();
  picture.current.reset();
  paintConfusion(painter, picture, size, colors);
}

QString ConfusionView::toCsv() const {
  if (picture_.matrix.classes == 0) return {};
  QString csv = u"true class"_s;
  for (const QString& name : picture_.classNames) csv += u',' + csvField(name);
  for (int row = 0; row < picture_.matrix.classes; ++row) {
    csv += u'\n' + csvField(picture_.classNames.value(row));
    for (int column = 0; column < picture_.matrix.classes; ++column) {
      csv += u',' + QString::number(picture_.countAt({row, column}));
    }
  }
  return csv + u'\n';
}

QSize ConfusionView::sizeHint() const {
  return kPreferredSize;
}

QSize ConfusionView::minimumSizeHint() const {
  return kSmallestSize;
}

bool ConfusionView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto cell = cellAt(help->pos())) {
    QToolTip::showText(help->globalPos(), sentenceFor(*cell), this, rectOf(*cell).toRect());
  } else {
    QToolTip::hideText();
  }
  return true;
}

void ConfusionView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::TextAntialiasing);
  paintConfusion(painter, shownPicture(), size(), colorsOf(*this));
}

void ConfusionView::mouseMoveEvent(QMouseEvent* event) {
  hover(cellAt(event->position()));
}

void ConfusionView::mousePressEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->position());
  if (event->button() != Qt::LeftButton || !cell) return QWidget::mousePressEvent(event);
  choose(*cell);
}

void ConfusionView::leaveEvent(QEvent* event) {
  hover(std::nullopt);
  QWidget::leaveEvent(event);
}

void ConfusionView::keyPressEvent(QKeyEvent* event) {
  const int last = picture_.matrix.classes - 1;
  if (last < 0) return QWidget::keyPressEvent(event);
  Cell cell = picture_.current.value_or(Cell{0, 0});
  switch (event->key()) {
    case Qt::Key_Up:
      cell.row = std::max(0, cell.row - 1);
      break;
    case Qt::Key_Down:
      cell.row = std::min(last, cell.row + 1);
      break;
    case Qt::Key_Left:
      cell.column = std::max(0, cell.column - 1);
      break;
    case Qt::Key_Right:
      cell.column = std::min(last, cell.column + 1);
      break;
    case Qt::Key_Home:
      cell.column = 0;
      break;
    case Qt::Key_End:
      cell.column = last;
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      break;
    case Qt::Key_Escape:
      if (!picture_.current) return QWidget::keyPressEvent(event);
      setCurrent(std::nullopt);
      Q_EMIT choiceCleared();
      return;
    default:
      return QWidget::keyPressEvent(event);
  }
  choose(picture_.current ? cell : Cell{0, 0});
}

ConfusionPicture ConfusionView::shownPicture() const {
  ConfusionPicture picture = picture_;
  picture.title.clear();
  picture.hasFocus = hasFocus();
  return picture;
}

void ConfusionView::choose(const Cell& cell) {
  setCurrent(cell);
  Q_EMIT cellChosen(cell);
}

void ConfusionView::hover(std::optional<Cell> cell) {
  if (picture_.hovered == cell) return;
  picture_.hovered = cell;
  update();
}

}  // namespace lambda
