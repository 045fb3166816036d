#include "app/runs/panels/run_legend.h"

#include <algorithm>
#include <utility>

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/text/path_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/tool_tips.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kStroke = 20;
constexpr int kWidth = 240;

int textLeft() {
  return 2 * spacing::kGap + kStroke;
}

}  // namespace

RunLegend::RunLegend(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  describeLines(*this, [this] { return lines(); });
  setAccessibleName(u"Legend"_s);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setToolTips(*this, [this](const QPoint& at) {
    const LegendEntry* entry = entryAt(at.y());
    return entry ? toolTipText(toText(entry->run)) : QString();
  });
}

void RunLegend::setEntries(std::vector<LegendEntry> entries) {
  if (entries_ == entries) return;
  entries_ = std::move(entries);
  setAccessibleDescription(lines().join(u'\n'));
  updateGeometry();
  update();
}

QStringList RunLegend::lines() const {
  QStringList lines;
  for (const LegendEntry& entry : entries_) {
    lines << entry.name + u' ' + entry.value +
                 (entry.detail.isEmpty() ? QString() : u": "_s + entry.detail);
  }
  return lines;
}

void RunLegend::setSelected(const std::filesystem::path& run) {
  selected_ = run;
  update();
}

int RunLegend::heightForWidth(int width) const {
  int height = 0;
  for (const LegendEntry& entry : entries_) height += heightOf(entry, width);
  return height;
}

QSize RunLegend::sizeHint() const {
  const int width = qRound(kWidth * textScale());
  return {width, heightForWidth(width)};
}

QSize RunLegend::minimumSizeHint() const {
  return {qRound(kWidth * textScale() / 2), 0};
}

void RunLegend::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colors& colors = colorsOf(*this);
  int top = 0;
  for (const LegendEntry& entry : entries_) {
    const int height = heightOf(entry, width());
    const QRect area(0, top, width(), height);
    if (entry.run == selected_) {
      painter.setPen(hasFocus() ? QPen(colors.accent, 1) : QPen(Qt::NoPen));
      painter.setBrush(colors.accentSoft);
      painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 6, 6);
    }
    QFont name = bodyFont();
    name.setWeight(QFont::Medium);
    const QFontMetrics metrics(name);
    const int line = metrics.height();
    const QColor& color =
        colors.series[static_cast<std::size_t>(entry.colorIndex) % colors.series.size()];
    const double middle = top + spacing::kGap / 2.0 + line / 2.0;
    painter.setPen(QPen(color, 3, entry.penStyle, Qt::FlatCap));
    painter.drawLine(QPointF(spacing::kGap, middle), QPointF(spacing::kGap + kStroke, middle));

    const int right = width() - spacing::kGap;
    const int valueWidth = QFontMetrics(numberFont()).horizontalAdvance(entry.value);
    painter.setFont(numberFont());
    painter.setPen(colors.text);
    painter.drawText(QRect(right - valueWidth, top + spacing::kGap / 2, valueWidth, line),
                     Qt::AlignRight,
                     entry.value);
    painter.setFont(name);
    const int nameWidth = right - valueWidth - spacing::kGap - textLeft();
    painter.drawText(QRect(textLeft(), top + spacing::kGap / 2, nameWidth, line),
                     Qt::AlignLeft,
                     metrics.elidedText(entry.name, Qt::ElideRight, nameWidth));
    if (!entry.detail.isEmpty()) {
      painter.setFont(smallFont());
      painter.setPen(colors.textSecondary);
      painter.drawText(QRect(textLeft(),
                             top + spacing::kGap / 2 + line,
                             right - textLeft(),
                             height - line - spacing::kGap),
                       Qt::AlignLeft | Qt::TextWordWrap,
                       entry.detail);
    }
    top += height;
  }
}

void RunLegend::mousePressEvent(QMouseEvent* event) {
  const LegendEntry* entry = entryAt(event->pos().y());
  if (event->button() == Qt::LeftButton && entry) choose(*entry);
}

void RunLegend::keyPressEvent(QKeyEvent* event) {
  const bool isDown = event->key() == Qt::Key_Down;
  if ((!isDown && event->key() != Qt::Key_Up) || entries_.empty()) {
    return QWidget::keyPressEvent(event);
  }
  const auto current =
      std::find_if(entries_.begin(), entries_.end(), [this](const LegendEntry& entry) {
        return entry.run == selected_;
      });
  std::ptrdiff_t place =
      current == entries_.end() ? 0 : current - entries_.begin() + (isDown ? 1 : -1);
  place = std::clamp<std::ptrdiff_t>(place, 0, static_cast<std::ptrdiff_t>(entries_.size()) - 1);
  choose(entries_[static_cast<std::size_t>(place)]);
}

int RunLegend::heightOf(const LegendEntry& entry, int width) const {
  int height = QFontMetrics(bodyFont()).height() + spacing::kGap;
  if (!entry.detail.isEmpty()) {
    height += QFontMetrics(smallFont())
                  .boundingRect(QRect(0, 0, std::max(1, width - spacing::kGap - textLeft()), 1000),
                                Qt::AlignLeft | Qt::TextWordWrap,
                                entry.detail)
                  .height();
  }
  return height;
}

const LegendEntry* RunLegend::entryAt(int y) const {
  for (const LegendEntry& entry : entries_) {
    y -= heightOf(entry, width());
    if (y < 0) return &entry;
  }
  return nullptr;
}

void RunLegend::choose(const LegendEntry& entry) {
  const std::filesystem::path run = entry.run;
  setSelected(run);
  Q_EMIT runClicked(run);
}

}  // namespace lambda
