#include "widgets/theme/flow_layout.h"

#include <algorithm>
#include <limits>

#include <QStyle>
#include <QWidget>

namespace lambda {

FlowLayout::FlowLayout(int spacing, QWidget* parent) : QLayout(parent) {
  setContentsMargins(0, 0, 0, 0);
  setSpacing(spacing);
}

FlowLayout::~FlowLayout() = default;

void FlowLayout::beginRight() {
  isRight_ = true;
}

void FlowLayout::addItem(QLayoutItem* item) {
  entries_.push_back({std::unique_ptr<QLayoutItem>(item), isRight_});
}

int FlowLayout::count() const {
  return static_cast<int>(entries_.size());
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? entries_[static_cast<std::size_t>(index)].item.get()
                                       : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (index < 0 || index >= count()) return nullptr;
  QLayoutItem* item = entries_[static_cast<std::size_t>(index)].item.release();
  entries_.erase(entries_.begin() + index);
  return item;
}

int FlowLayout::heightForWidth(int width) const {
  const QMargins margins = contentsMargins();
  const std::vector<Line> lines = linesFor(width - margins.left() - margins.right());
  int height = margins.top() + margins.bottom();
  for (const Line& line : lines) height += line.height;
  return height + spacing() * std::max(0, static_cast<int>(lines.size()) - 1);
}

QSize FlowLayout::sizeHint() const {
  const QMargins margins = contentsMargins();
  const std::vector<Line> lines = linesFor(std::numeric_limits<int>::max());
  const QSize inner = lines.empty() ? QSize() : QSize(lines.front().width, lines.front().height);
  return inner + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::minimumSize() const {
  QSize size(0, 0);
  for (const Entry& entry : entries_) {
    if (!entry.item->isEmpty()) size = size.expandedTo(entry.item->minimumSize());
  }
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  const QRect inner = rect.marginsRemoved(contentsMargins());
  int top = inner.top();
  for (const Line& line : linesFor(inner.width())) {
    place(line, QRect(inner.left(), top, inner.width(), line.height));
    top += line.height + spacing();
  }
}

std::vector<FlowLayout::Line> FlowLayout::linesFor(int width) const {
  std::vector<Line> lines;
  for (const Entry& entry : entries_) {
    if (entry.item->isEmpty()) continue;
    const QSize size = entry.item->sizeHint();
    const bool isFirst = lines.empty();
    if (isFirst || size.width() > width - lines.back().width - spacing()) lines.emplace_back();
    Line& line = lines.back();
    line.width += size.width() + (line.entries.empty() ? 0 : spacing());
    line.height = std::max(line.height, size.height());
    line.entries.push_back(&entry);
  }
  return lines;
}

void FlowLayout::place(const Line& line, const QRect& area) const {
  const Qt::LayoutDirection direction =
      parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
  const int rest = std::max(0, area.width() - line.width);
  bool isAfterRest = line.entries.front()->isRight;
  int left = area.left();
  for (const Entry* entry : line.entries) {
    if (entry->isRight && !isAfterRest) left += rest;
    isAfterRest = entry->isRight;
    const QSize size = entry->item->sizeHint().boundedTo(area.size());
    const QRect place(
        left, area.top() + (area.height() - size.height()) / 2, size.width(), size.height());
    entry->item->setGeometry(QStyle::visualRect(direction, area, place));
    left += size.width() + spacing();
  }
}

}  // namespace lambda
