#include "widgets/pictures/colored_text.h"

#include <algorithm>
#include <cmath>

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/tool_tips.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kTextPixels = 17;  // at the usual size of text
constexpr double kLineFactor = 1.45;
constexpr double kNumberGap = 6;    // beside a token of several characters
constexpr double kStrongest = 0.9;  // of the diverging map: its ends are too dark behind text
constexpr double kStrongestOnDark = 0.8;
constexpr float kFaint = 0.4F;         // opacity
constexpr double kCharacterGap = 1.5;  // beside a character
constexpr int kExportWidth = 720;
constexpr int kCharactersInHint = 56;
constexpr int kLeastCharacters = 24;

QFont textFont() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(qRound(kTextPixels * textScale()));
  return font;
}

double textLineHeight() {
  return std::ceil(QFontMetricsF(textFont()).height() * kLineFactor);
}

QColor mapColor(ColorMap map, double t) {
  const Rgb color = colorAt(map, t);
  return {color[0], color[1], color[2]};
}

/// The text colour that can be read on a ground: by the relative luminance of WCAG 2.
QColor textOn(const QColor& ground) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) +
                           0.0722 * linear(ground.blueF());
  return luminance > 0.179 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace

QColor tokenColor(const TokenValues& values, float value, const Colors& colors) {
  const auto& [low, high] = values.range;
  if (values.map == ColorMap::viridis || !std::isfinite(value)) {
    const Rgb color = colorOf(values.map, values.range, value);
    return {color[0], color[1], color[2]};
  }
  const double size = std::clamp(std::abs(value) / std::max(high, -low), 0.0, 1.0);
  const double end = colors.dark ? kStrongestOnDark : kStrongest;
  return blended(colors.page, mapColor(values.map, value < 0 ? 1 - end : end), size);
}

ColoredText::ColoredText(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(u"Text"_s);
  setToolTips(*this, [this](const QPoint& at) { return readoutOf(tokenAt(at)); });
  describeParts(*this,
                {.count = [this] { return static_cast<int>(tokens_.size()); },
                 .part =
                     [this](int token) {
                       return AccessiblePart{.name = readoutOf(token),
                                             .value = {},
                                             .place = cellOf(token).toAlignedRect(),
                                             .isSelected = token == chosen_};
                     }});
  onFontChange(*this, [this] {
    updateGeometry();
    arrange();
  });
}

void ColoredText::setTokens(std::vector<ShownToken> tokens) {
  if (tokens == tokens_) return;
  tokens_ = std::move(tokens);
  values_ = {};
  chosen_ = hovered_ = -1;
  updateGeometry();
  arrange();
}

void ColoredText::setValues(TokenValues values) {
  values_ = std::move(values);
  update();
}

void ColoredText::setChosen(int token) {
  if (token == chosen_) return;
  chosen_ = token < static_cast<int>(tokens_.size()) ? token : -1;
  setAccessibleDescription(readoutOf(chosen_));
  if (chosen_ >= 0) Q_EMIT chosenMoved(cellOf(chosen_));
  update();
}

void ColoredText::setExport(const QString& name, const QString& caption) {
  exportName_ = name;
  exportCaption_ = caption;
}

std::vector<QRectF> ColoredText::cellsFor(double width) const {
  const QFontMetricsF metrics(textFont());
  const double height = textLineHeight();
  std::vector<QRectF> cells;
  double left = 0, top = 0;
  std::size_t lineStart = 0, wordStart = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const ShownToken& token = tokens_[i];
    const double gap = token.label.size() > 1 ? kNumberGap : kCharacterGap;
    const double cell = metrics.horizontalAdvance(token.label) + gap;
    cells.emplace_back(left, top, cell, height);
    left += cell;
    if (left > width && i > lineStart) {
      // The word moves to the next line; one that fills a line is cut.
      const std::size_t first = wordStart > lineStart ? wordStart : i;
      const double by = cells[first].left();
      top += height;
      for (std::size_t j = first; j <= i; ++j) {
        cells[j].moveTo(cells[j].left() - by, top);
      }
      left -= by;
      lineStart = first;
    }
    if (token.isBreakable) wordStart = i + 1;
    if (token.endsLine) {
      left = 0;
      top += height;
      lineStart = wordStart = i + 1;
    }
  }
  return cells;
}

void ColoredText::arrange() {
  cells_ = cellsFor(width());
  if (chosen_ >= 0) Q_EMIT chosenMoved(cellOf(chosen_));
  update();
}

int ColoredText::tokenAt(const QPointF& at) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].contains(at)) return static_cast<int>(i);
  }
  return -1;
}

QRectF ColoredText::cellOf(int token) const {
  const auto index = static_cast<std::size_t>(token);
  return token >= 0 && index < cells_.size() ? cells_[index] : QRectF();
}

QString ColoredText::readoutOf(int token) const {
  const auto index = static_cast<std::size_t>(token);
  if (token < 0 || index >= tokens_.size()) return {};
  QString text = u"%1: %2"_s.arg(token).arg(tokens_[index].name);
  if (index < values_.values.size()) {
    text +=
        u", %1 %2"_s.arg(values_.quantity, numberText(static_cast<double>(values_.values[index])));
  }
  return text;
}

void ColoredText::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  const std::vector<QRectF> cells = size.width() == width() ? cells_ : cellsFor(size.width());
  painter.setFont(textFont());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool hasValue = i < values_.values.size();
    QColor text = values_.values.empty() ? colors.text : colors.textSecondary;
    if (hasValue) {
      const QColor ground = tokenColor(values_, values_.values[i], colors);
      painter.fillRect(cells[i].adjusted(0, 1, 0, -1), ground);
      text = textOn(ground);
    }
    if (tokens_[i].isFaint) text.setAlphaF(kFaint);
    painter.setPen(text);
    painter.drawText(cells[i], Qt::AlignCenter, tokens_[i].label);
  }
  if (chosen_ >= 0 && static_cast<std::size_t>(chosen_) < cells.size()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.accent, 2));
    painter.drawRect(cells[static_cast<std::size_t>(chosen_)].adjusted(-1, 1, 1, -1));
  }
}

void ColoredText::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  paintTo(painter, size(), colors);
  if (hovered_ < 0 || hovered_ == chosen_) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colors.textSecondary, 1));
  painter.drawRect(cellOf(hovered_).adjusted(0, 1, -1, -2));
}

void ColoredText::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void ColoredText::choose(int token) {
  if (token < 0 || token == chosen_) return;
  setChosen(token);
  Q_EMIT tokenChosen(token);
}

void ColoredText::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(tokenAt(event->position()));
}

void ColoredText::mouseMoveEvent(QMouseEvent* event) {
  setHovered(tokenAt(event->position()));
}

void ColoredText::leaveEvent(QEvent* /*event*/) {
  setHovered(-1);
}

void ColoredText::setHovered(int token) {
  if (token == hovered_) return;
  hovered_ = token;
  setCursor(token >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

/// The token `lines` below the chosen one, of the nearest place in its line; -1 = there is no line.
int ColoredText::tokenBeside(int lines) const {
  const QRectF from = cellOf(chosen_);
  const double top = from.top() + lines * textLineHeight();
  int nearest = -1;
  double least = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (std::abs(cells_[i].top() - top) > 1) continue;
    const double distance = std::abs(cells_[i].center().x() - from.center().x());
    if (nearest >= 0 && distance >= least) continue;
    nearest = static_cast<int>(i);
    least = distance;
  }
  return nearest;
}

void ColoredText::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(tokens_.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return choose(std::max(0, chosen_ - 1));
    case Qt::Key_Right:
      return choose(std::min(last, chosen_ + 1));
    case Qt::Key_Up:
      return choose(tokenBeside(-1));
    case Qt::Key_Down:
      return choose(tokenBeside(1));
    case Qt::Key_Home:
      return choose(std::min(last, 0));
    case Qt::Key_End:
      return choose(last);
    default:
      QWidget::keyPressEvent(event);
  }
}

int ColoredText::heightForWidth(int width) const {
  const std::vector<QRectF> cells = cellsFor(width);
  return cells.empty() ? qRound(textLineHeight()) : qCeil(cells.back().bottom());
}

QSize ColoredText::sizeHint() const {
  const int width = qRound(QFontMetricsF(textFont()).horizontalAdvance(u'0') * kCharactersInHint);
  return {width, heightForWidth(width)};
}

QSize ColoredText::minimumSizeHint() const {
  return {qRound(QFontMetricsF(textFont()).horizontalAdvance(u'0') * kLeastCharacters),
          qRound(textLineHeight())};
}

QSize ColoredText::exportSize() const {
  return {kExportWidth, heightForWidth(kExportWidth)};
}

QString ColoredText::toCsv() const {
  if (tokens_.empty()) return {};
  QString csv = u"index,token,value\n"_s;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    QString label = tokens_[i].label;
    csv += QString::number(i) + u",\""_s + label.replace(u'"', u"\"\""_s) + u"\","_s;
    if (i < values_.values.size()) csv += QString::fromStdString(formatFloat(values_.values[i]));
    csv += u'\n';
  }
  return csv;
}

ColoredTextScale::ColoredTextScale(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setAccessibleName(u"Colours of the contributions"_s);
}

void ColoredTextScale::setValues(ColorMap map, const ColorRange& range) {
  scale_.map = map;
  scale_.range = range;
  setAccessibleDescription(u"from %1 to %2"_s.arg(numberText(range.low), numberText(range.high)));
  update();
}

QSize ColoredTextScale::sizeHint() const {
  return {qRound(220 * textScale()), qCeil(QFontMetricsF(smallFont()).height())};
}

void ColoredTextScale::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  const QFontMetricsF metrics(smallFont());
  const QString low = numberText(scale_.range.low), high = numberText(scale_.range.high);
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, low);
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, high);
  const int left = qCeil(metrics.horizontalAdvance(low)) + spacing::kTight;
  const int right = width() - qCeil(metrics.horizontalAdvance(high)) - spacing::kTight;
  for (int x = left; x < right; ++x) {
    const double share = (x + 0.5 - left) / (right - left);
    const double value = scale_.range.low + share * (scale_.range.high - scale_.range.low);
    painter.fillRect(x, 2, 1, height() - 4, tokenColor(scale_, static_cast<float>(value), colors));
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(colors.hairline);
  painter.drawRect(left, 2, std::max(0, right - left - 1), height() - 5);
}

}  // namespace lambda
