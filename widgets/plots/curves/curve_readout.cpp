#include "widgets/plots/curves/curve_readout.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "widgets/plots/axes/axis_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPadding = 8;
constexpr double kCursorGap = 14;
constexpr double kReadoutSwatch = 8;
constexpr double kPanelGap = 4;
constexpr double kColumnGap = 12;
constexpr double kLabelWidth = 220;
constexpr int kMostRows = 14;  // A card that covers the plot would hide the curves.

/// Whether a series has a value at a place: it begins no later and ends no earlier.
bool reaches(std::span<const double> x, double place) {
  const std::size_t n = x.size();
  if (n == 1) return true;
  return place >= x[0] - (x[1] - x[0]) && place <= x[n - 1] + (x[n - 1] - x[n - 2]);
}

QPen hairlinePen(const QColor& color) {
  QPen pen(color, 1);
  pen.setCosmetic(true);
  return pen;
}

}  // namespace

std::vector<ReadoutRow> readoutRows(const CurveScene& scene, double place) {
  std::vector<ReadoutRow> rows;
  for (const CurveScene::Series& series : scene.series()) {
    const std::span<const double> x = series.history.x(scene.axis());
    const auto index = series.history.nearest(scene.axis(), place);
    if (!index || !reaches(x, place)) continue;
    const double raw = series.history.samples().y[*index];
    const double smoothed = series.history.smoothedValues()[*index];
    ReadoutRow row;
    row.panel = series.options.panel;
    row.color = scene.colorOf(series);
    row.label = QString::fromStdString(series.options.label);
    row.value = std::isfinite(raw) ? smoothed : raw;
    if (series.options.faintRaw && scene.smoothing() > 0 && std::isfinite(raw)) row.raw = raw;
    const CurvePanel& panel = scene.panels()[static_cast<std::size_t>(row.panel)].options;
    row.percent = panel.percent;
    if (panel.inWords && std::isfinite(row.value)) {
      row.label += u" · "_s + panel.inWords(row.value);
    }
    row.x = x[*index];
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, [](const ReadoutRow& a, const ReadoutRow& b) {
    if (a.panel != b.panel) return a.panel < b.panel;
    if (std::isnan(a.value) || std::isnan(b.value))
      return std::isnan(a.value) && !std::isnan(b.value);
    return a.value > b.value;
  });
  return rows;
}

CurveReadout::CurveReadout(const CurveScene& scene, QWidget* parent)
    : QWidget(parent), scene_(scene) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
}

void CurveReadout::setPlace(std::optional<double> place, const QPointF& pixel) {
  place_ = place;
  pixel_ = pixel;
  update();
}

void CurveReadout::setBox(const QRect& box) {
  box_ = box;
  update();
}

void CurveReadout::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colors& colors = scene_.colors();
  if (!box_.isNull()) {
    QColor fill = colors.accent;
    fill.setAlpha(28);
    painter.setPen(hairlinePen(colors.accent));
    painter.setBrush(fill);
    painter.drawRect(QRectF(box_).adjusted(0.5, 0.5, -0.5, -0.5));
    return;
  }
  if (!place_ || !scene_.hasPoints()) return;
  const std::vector<ReadoutRow> rows = readoutRows(scene_, *place_);
  drawCrosshair(painter, rows);
  if (!rows.empty()) drawCard(painter, measure(rows));
}

void CurveReadout::drawCrosshair(QPainter& painter, const std::vector<ReadoutRow>& rows) const {
  const Colors& colors = scene_.colors();
  const double x = std::floor(scene_.xPixel(*place_)) + 0.5;
  painter.setPen(hairlinePen(colors.textDisabled));
  for (int panel = 0; panel < static_cast<int>(scene_.panels().size()); ++panel) {
    const QRect rect = scene_.panelRect(panel);
    painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
  }
  for (const ReadoutRow& row : rows) {
    const QRect rect = scene_.panelRect(row.panel);
    const QPointF at(scene_.xPixel(row.x), scene_.yPixel(row.panel, row.value));
    if (!std::isfinite(row.value) || !QRectF(rect).contains(at)) continue;
    painter.setPen(QPen(colors.page, 1.5));
    painter.setBrush(row.color);
    painter.drawEllipse(at, 3.5, 3.5);
  }
}

QString CurveReadout::heading(const std::vector<ReadoutRow>& rows) const {
  // The point nearest to the crosshair gives all three places where it has them.
  const CurveScene::Series* nearest = nullptr;
  std::size_t index = 0;
  double least = 0;
  for (const CurveScene::Series& series : scene_.series()) {
    const auto candidate = series.history.nearest(scene_.axis(), *place_);
    if (!candidate) continue;
    const double distance = std::abs(series.history.x(scene_.axis())[*candidate] - *place_);
    if (nearest && distance >= least) continue;
    nearest = &series;
    index = *candidate;
    least = distance;
  }
  if (!nearest || rows.empty()) return placeText(scene_.axis(), *place_);
  QStringList texts;
  for (const CurveAxis axis : {CurveAxis::steps, CurveAxis::epochs, CurveAxis::time}) {
    const std::span<const double> x = nearest->history.x(axis);
    if (!x.empty()) texts << placeText(axis, x[index]);
  }
  QString text = texts.join(u" · "_s);
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

CurveReadout::Card CurveReadout::measure(const std::vector<ReadoutRow>& all) const {
  Card card;
  card.rows.assign(all.begin(), all.begin() + std::min<std::ptrdiff_t>(kMostRows, std::ssize(all)));
  card.title = heading(all);
  if (card.rows.size() < all.size())
    card.more = u"and %1 more"_s.arg(all.size() - card.rows.size());
  const QFontMetricsF small(smallFont());
  const QFontMetricsF number(numberFont());
  card.smallHeight = small.height();
  card.rowHeight = std::max(number.height(), small.height()) + 2;
  int panels = 0;
  for (std::size_t i = 0; i < card.rows.size(); ++i) {
    const ReadoutRow& row = card.rows[i];
    card.labelWidth =
        std::max(card.labelWidth, std::min(small.horizontalAdvance(row.label), kLabelWidth));
    card.valueWidth =
        std::max(card.valueWidth, number.horizontalAdvance(valueText(row.value, row.percent)));
    if (row.raw) {
      const double width = number.horizontalAdvance(valueText(*row.raw, row.percent));
      card.rawWidth = std::max(
          {card.rawWidth, kColumnGap + width, kColumnGap + small.horizontalAdvance(u"raw"_s)});
    }
    if (i == 0 || row.panel != card.rows[i - 1].panel) ++panels;
  }
  if (card.rawWidth > 0)
    card.valueWidth = std::max(card.valueWidth, small.horizontalAdvance(u"smooth"_s));
  const double columns =
      kReadoutSwatch + 6 + card.labelWidth + 16 + card.valueWidth + card.rawWidth;
  const double width = 2 * kPadding + std::max(small.horizontalAdvance(card.title), columns);
  const double height = 2 * kPadding + card.smallHeight + kPanelGap +
                        static_cast<double>(card.rows.size()) * card.rowHeight +
                        panels * (card.smallHeight + kPanelGap) +
                        (card.more.isEmpty() ? 0 : card.smallHeight);
  double left = pixel_.x() + kCursorGap;
  if (left + width > this->width() - 4) left = pixel_.x() - kCursorGap - width;
  const double lowest = std::max(4.0, this->height() - height - 4);
  const double top = std::clamp(pixel_.y() - height / 2, 4.0, lowest);
  card.rect = {std::floor(std::max(left, 4.0)) + 0.5,
               std::floor(top) + 0.5,
               std::ceil(width),
               std::ceil(height)};
  return card;
}

void CurveReadout::drawCard(QPainter& painter, const Card& card) const {
  const Colors& colors = scene_.colors();
  painter.setPen(hairlinePen(colors.hairline));
  painter.setBrush(colors.raised);
  painter.drawRoundedRect(card.rect, 6, 6);

  const QRectF inner = card.rect.adjusted(kPadding, kPadding, -kPadding, -kPadding);
  double y = inner.top();
  const auto smallText = [&](const QRectF& box, Qt::Alignment side, const QString& text) {
    painter.setFont(smallFont());
    painter.setPen(colors.textSecondary);
    painter.drawText(box, side | Qt::AlignVCenter, text);
  };
  smallText({inner.left(), y, inner.width(), card.smallHeight}, Qt::AlignLeft, card.title);
  y += card.smallHeight + kPanelGap;
  int panel = -1;
  for (const ReadoutRow& row : card.rows) {
    if (row.panel != panel) {
      panel = row.panel;
      y += kPanelGap;
      const QRectF line(inner.left(), y, inner.width(), card.smallHeight);
      smallText(
          line, Qt::AlignLeft, scene_.panels()[static_cast<std::size_t>(panel)].options.title);
      if (card.rawWidth > 0) {
        smallText(line, Qt::AlignRight, u"raw"_s);
        smallText(line.adjusted(0, 0, -card.rawWidth, 0), Qt::AlignRight, u"smooth"_s);
      }
      y += card.smallHeight;
    }
    drawRow(painter, card, row, {inner.left(), y, inner.width(), card.rowHeight});
    y += card.rowHeight;
  }
  smallText({inner.left(), y, inner.width(), card.smallHeight}, Qt::AlignLeft, card.more);
}

void CurveReadout::drawRow(QPainter& painter,
                           const Card& card,
                           const ReadoutRow& row,
                           const QRectF& box) const {
  const Colors& colors = scene_.colors();
  painter.setPen(Qt::NoPen);
  painter.setBrush(row.color);
  painter.drawRoundedRect(QRectF(box.left(), box.center().y() - 1.5, kReadoutSwatch, 3), 1.5, 1.5);
  painter.setFont(smallFont());
  painter.setPen(colors.text);
  const QFontMetricsF small(smallFont());
  painter.drawText(box.adjusted(kReadoutSwatch + 6, 0, 0, 0),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   small.elidedText(row.label, Qt::ElideMiddle, card.labelWidth + 1));
  painter.setFont(numberFont());
  painter.setPen(std::isfinite(row.value) ? colors.text : colors.error);
  painter.drawText(box.adjusted(0, 0, -card.rawWidth, 0),
                   Qt::AlignRight | Qt::AlignVCenter,
                   valueText(row.value, row.percent));
  if (!row.raw) return;
  painter.setPen(colors.textSecondary);
  painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, valueText(*row.raw, row.percent));
}

}  // namespace lambda
