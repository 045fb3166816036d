#include "app/runs/table/run_table_delegate.h"

#include <algorithm>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

#include "app/runs/run_table_model.h"
#include "app/runs/table/cell_painting.h"
#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_sort_filter.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Between the name of a run and what differs from the others of that name.
/// Between the tags.
constexpr double kBoxSide = 14;
constexpr double kDotPixels = 8;

double dotSide() {
  return kDotPixels * textScale();
}

QColor colorOf(RunState state, const Colors& colors) {
  switch (state) {
    case RunState::training:
      return colors.accent;
    case RunState::finished:
      return colors.success;
    case RunState::paused:
    case RunState::interrupted:
      return colors.warning;
    case RunState::failed:
    case RunState::damaged:
      return colors.error;
    case RunState::stopped:
    case RunState::imported:
      return colors.textSecondary;
  }
  return colors.text;
}

void paintBox(QPainter& painter, const QRectF& cell, bool isChecked, const QColor& color) {
  const double side = kBoxSide * textScale();
  const QRectF box(cell.center().x() - side / 2, cell.center().y() - side / 2, side, side);
  painter.setPen(QPen(color, 1.5));
  painter.setBrush(isChecked ? QBrush(color) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(box, 3, 3);
  if (!isChecked) return;
  QPainterPath tick;
  tick.moveTo(box.left() + 0.24 * side, box.top() + 0.52 * side);
  tick.lineTo(box.left() + 0.43 * side, box.top() + 0.71 * side);
  tick.lineTo(box.left() + 0.77 * side, box.top() + 0.30 * side);
  // A tick that contrasts with the series' colour: dark on light ones, light on dark ones.
  painter.setPen(QPen(color.lightnessF() > 0.55f ? QColor(Qt::black) : QColor(Qt::white),
                      1.8,
                      Qt::SolidLine,
                      Qt::RoundCap,
                      Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(tick);
}

/// States that need no attention are hollow or quiet.
void paintDot(QPainter& painter, const QRect& cell, RunState state, const QColor& color) {
  const bool isHollow =
      state == RunState::imported || state == RunState::stopped || state == RunState::interrupted;
  painter.setPen(QPen(color, 1.5));
  painter.setBrush(isHollow ? QBrush(Qt::NoBrush) : QBrush(color));
  painter.drawEllipse(QRectF(
      cell.left() + kCellPadding, cell.center().y() - dotSide() / 2 + 0.5, dotSide(), dotSide()));
}

QColor textColorOf(RunState state, const Colors& colors) {
  const bool isQuiet =
      state == RunState::finished || state == RunState::stopped || state == RunState::imported;
  return isQuiet ? colors.text : colorOf(state, colors);
}

void paintTags(QPainter& painter,
               const QRect& cell,
               const QStringList& tags,
               const Colors& colors) {
  painter.setFont(smallFont());
  const QFontMetricsF metrics(smallFont());
  double left = cell.left() + kCellPadding;
  const double height = metrics.height() + 2;
  for (const QString& tag : tags) {
    const double space = cell.right() - kCellPadding - left;
    const QString text = metrics.elidedText(tag, Qt::ElideRight, space - 2 * kCellPadding);
    if (space < 4 * kCellPadding || text.isEmpty()) return;
    const QRectF chip(left,
                      cell.center().y() - height / 2 + 0.5,
                      metrics.horizontalAdvance(text) + 2 * kCellPadding,
                      height);
    painter.setPen(QPen(colors.hairline, 1));
    painter.setBrush(colors.surface);
    painter.drawRoundedRect(chip, height / 2, height / 2);
    painter.setPen(colors.textSecondary);
    painter.drawText(chip, Qt::AlignCenter, text);
    left = chip.right() + spacing::kTight;
  }
}

/// Draws the name, and smaller what differs from the other runs of that name.
void paintName(QPainter& painter,
               const QStyleOptionViewItem& cell,
               const QString& difference,
               const Colors& colors) {
  paintCellText(painter, cell);
  QStyleOptionViewItem rest = cell;
  const int end = QFontMetrics(cell.font).horizontalAdvance(cell.text) + spacing::kGap;
  rest.rect.setLeft(std::min(rest.rect.left() + end, rest.rect.right()));
  if (difference.isEmpty() || rest.rect.width() <= 2 * kCellPadding) return;
  rest.text = difference;
  rest.font = smallFont();
  rest.palette.setColor(QPalette::Text, colors.textSecondary);
  paintCellText(painter, rest);
}

CellLook lookOf(const QModelIndex& index) {
  return runColumns()[static_cast<std::size_t>(index.column())].look;
}

/// The width of a cell's content.
int contentWidth(const QStyleOptionViewItem& cell, const QModelIndex& index) {
  const int text = QFontMetrics(cell.font).horizontalAdvance(cell.text);
  const QFontMetrics small(smallFont());
  switch (lookOf(index)) {
    case CellLook::check:
      return qCeil(kBoxSide * textScale());
    case CellLook::state:
      return text + kCellPadding + static_cast<int>(dotSide());
    case CellLook::name: {
      const QString difference = index.data(RunTableModel::kDifferenceRole).toString();
      return difference.isEmpty()
                 ? text
                 : text + spacing::kGap + kCellPadding + small.horizontalAdvance(difference);
    }
    case CellLook::tags: {
      int width = 0;
      for (const QString& tag : index.data(RunTableModel::kTagsRole).toStringList()) {
        width += small.horizontalAdvance(tag) + 2 * kCellPadding + spacing::kTight + 1;
      }
      return width;
    }
    case CellLook::text:
    case CellLook::number:
    case CellLook::aside:
      break;
  }
  return text;
}

}  // namespace

QSize RunTableDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  return {contentWidth(cell, index) + 2 * kCellPadding + 1, QFontMetrics(cell.font).height()};
}

void RunTableDelegate::initStyleOption(QStyleOptionViewItem* option,
                                       const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const Colors& colors = colorsOf(*option->widget);
  const CellLook look = lookOf(index);
  const auto state = static_cast<RunState>(index.data(RunTableModel::kStateRole).toInt());
  const int extreme = index.data(RunSortFilter::kExtremeRole).toInt();
  option->features &= ~QStyleOptionViewItem::HasCheckIndicator;
  QColor text = colors.text;
  if (look == CellLook::number) option->font = numberFont();
  if (look == CellLook::aside || state == RunState::damaged) text = colors.textSecondary;
  if (extreme == RunSortFilter::kBest) {
    option->font.setWeight(QFont::Bold);
    text = colors.success;
  } else if (extreme == RunSortFilter::kWorst) {
    text = colors.textSecondary;
  }
  option->palette.setColor(QPalette::Text, text);
  option->palette.setColor(QPalette::HighlightedText, text);
}

void RunTableDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const Colors& colors = colorsOf(*option.widget);
  paintCellGround(*painter, cell);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  switch (lookOf(index)) {
    case CellLook::check: {
      const int series = index.data(RunTableModel::kColorRole).toInt();
      const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
      const QColor color =
          series < 0 ? colors.textDisabled
                     : colors.series[static_cast<std::size_t>(series) % colors.series.size()];
      paintBox(*painter, cell.rect, isChecked, color);
      break;
    }
    case CellLook::state: {
      const auto state = static_cast<RunState>(index.data(RunTableModel::kStateRole).toInt());
      cell.palette.setColor(QPalette::Text, textColorOf(state, colors));
      paintDot(*painter, cell.rect, state, colorOf(state, colors));
      cell.rect.setLeft(cell.rect.left() + kCellPadding + static_cast<int>(dotSide()));
      paintCellText(*painter, cell);
      break;
    }
    case CellLook::tags:
      paintTags(*painter, cell.rect, index.data(RunTableModel::kTagsRole).toStringList(), colors);
      break;
    case CellLook::name:
      paintName(*painter, cell, index.data(RunTableModel::kDifferenceRole).toString(), colors);
      break;
    case CellLook::text:
    case CellLook::number:
    case CellLook::aside:
      paintCellText(*painter, cell);
  }
  painter->restore();
}

QWidget* RunTableDelegate::createEditor(QWidget* parent,
                                        const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
  QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
  // The padding of a normal field leaves no space for text in a row.
  if (editor) editor->setStyleSheet(u"QLineEdit { padding: 0 3px; border-radius: 3px; }"_s);
  return editor;
}

bool RunTableDelegate::editorEvent(QEvent* event,
                                   QAbstractItemModel* model,
                                   const QStyleOptionViewItem& option,
                                   const QModelIndex& index) {
  if (lookOf(index) != CellLook::check) {
    return QStyledItemDelegate::editorEvent(event, model, option, index);
  }
  if (event->type() == QEvent::MouseButtonDblClick) return true;
  if (event->type() != QEvent::MouseButtonRelease) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (mouse->button() != Qt::LeftButton || !option.rect.contains(mouse->pos())) return false;
  const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

}  // namespace lambda
