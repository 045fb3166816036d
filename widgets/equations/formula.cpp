#include "widgets/equations/formula.h"

#include <algorithm>
#include <utility>

#include <QColor>
#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include "widgets/equations/formula_node.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using Node = Formula::Node;
using Kind = Formula::Node::Kind;

// Lengths as shares of the height of the letters.
constexpr double kScript = 0.7;  // of scripts
constexpr double kSum = 1.35;    // of the sum's sign
constexpr double kBelow = 0.22;  // how far a subscript is lowered
constexpr double kAbove = 0.42;  // how far a superscript is raised
constexpr double kRelationGap = 0.28;
constexpr double kSpace = 0.5;
constexpr double kBarGap = 0.1;  // between a letter and the bar over it
constexpr double kBraceHeight = 0.3;
constexpr double kSlant = 0.12;  // by which a bar over a slanted letter is shifted

QFont fontOf(Kind kind, double pixels) {
  QFont font = bodyFont();
  font.setPixelSize(std::max(1, qRound(pixels)));
  font.setItalic(kind == Kind::letter);
  return font;
}

/// Measures a formula, and draws it where there is a painter: both go the same way, so that they
/// agree. Every function returns the size of its part.
class Setter {
 public:
  Setter(QPainter* painter, const QColor& color, const QColor& nameColor)
      : painter_(painter), color_(color), nameColor_(nameColor) {}

  Formula::Size row(const std::vector<Node>& nodes, QPointF at, double pixels) const {
    Formula::Size size;
    for (const Node& node : nodes) {
      const Formula::Size next = scripted(node, at + QPointF(size.width, 0), pixels);
      size.width += next.width;
      size.ascent = std::max(size.ascent, next.ascent);
      size.descent = std::max(size.descent, next.descent);
    }
    return size;
  }

 private:
  static Formula::Size measured(const std::vector<Node>& nodes, double pixels) {
    return Setter(nullptr, {}, {}).row(nodes, {}, pixels);
  }

  Formula::Size scripted(const Node& node, const QPointF& at, double pixels) const {
    Formula::Size size = base(node, at, pixels);
    const double script = pixels * kScript;
    double width = 0;
    if (!node.below.empty()) {
      const double lowered = kBelow * pixels;
      const Formula::Size below = row(node.below, at + QPointF(size.width, lowered), script);
      width = below.width;
      size.descent = std::max(size.descent, lowered + below.descent);
    }
    if (!node.above.empty()) {
      const double raised = std::max(kAbove * pixels, size.ascent - kAbove * pixels);
      const Formula::Size above = row(node.above, at + QPointF(size.width, -raised), script);
      width = std::max(width, above.width);
      size.ascent = std::max(size.ascent, raised + above.ascent);
    }
    if (width > 0) size.width += width + 0.05 * pixels;
    return size;
  }

  Formula::Size base(const Node& node, const QPointF& at, double pixels) const {
    switch (node.kind) {
      case Kind::letter:
      case Kind::upright:
        return text(node, at, pixels);
      case Kind::relation: {
        const double gap = kRelationGap * pixels;
        Formula::Size size = text(node, at + QPointF(gap, 0), pixels);
        size.width += 2 * gap;
        return size;
      }
      case Kind::space:
        return {.width = kSpace * pixels};
      case Kind::sum:
        return sum(node, at, pixels);
      case Kind::bar:
      case Kind::hat:
        return accented(node, at, pixels);
      case Kind::brace:
        return braced(node, at, pixels);
      case Kind::group:
        return row(node.parts[0], at, pixels);
    }
    return {};
  }

  Formula::Size text(const Node& node, const QPointF& at, double pixels) const {
    const QFont font = fontOf(node.kind, pixels);
    if (painter_) {
      painter_->setFont(font);
      painter_->setPen(color_);
      painter_->drawText(at, node.text);
    }
    const QFontMetricsF metrics(font);
    const QRectF ink = metrics.tightBoundingRect(node.text);
    return {.width = metrics.horizontalAdvance(node.text),
            .ascent = std::max(metrics.xHeight(), -ink.top()),
            .descent = std::max(0.0, ink.bottom())};
  }

  Formula::Size sum(const Node& node, const QPointF& at, double pixels) const {
    const Node sign{.kind = Kind::upright, .text = node.text};
    const double large = kSum * pixels, lowered = (kSum - 1) / 2 * pixels * 0.7;
    const double script = pixels * kScript;
    const Formula::Size size = Setter(nullptr, {}, {}).text(sign, {}, large);
    const Formula::Size range =
        node.parts.empty() ? Formula::Size() : measured(node.parts[0], script);
    const double width = std::max(size.width, range.width);
    const double depth = lowered + size.descent + range.ascent + 0.15 * pixels;
    text(sign, at + QPointF((width - size.width) / 2, lowered), large);
    if (!node.parts.empty()) {
      row(node.parts[0], at + QPointF((width - range.width) / 2, depth), script);
    }
    return {.width = width + 0.12 * pixels,
            .ascent = size.ascent - lowered,
            .descent = depth + range.descent};
  }

  Formula::Size accented(const Node& node, const QPointF& at, double pixels) const {
    Formula::Size size = row(node.parts[0], at, pixels);
    const double gap = kBarGap * pixels, thick = std::max(1.0, 0.06 * pixels);
    if (painter_) {
      const double left = at.x() + kSlant * pixels, right = at.x() + size.width + 0.02 * pixels;
      const double top = at.y() - size.ascent - gap;
      painter_->setPen(QPen(color_, thick));
      if (node.kind == Kind::bar) {
        painter_->drawLine(QPointF(left, top), QPointF(right, top));
      } else {
        const double middle = (left + right) / 2, rise = 0.14 * pixels;
        painter_->drawPolyline(
            QPolygonF({{middle - rise, top}, {middle, top - rise}, {middle + rise, top}}));
      }
    }
    size.ascent += gap + (node.kind == Kind::bar ? thick : 0.2 * pixels);
    return size;
  }

  Formula::Size braced(const Node& node, const QPointF& at, double pixels) const {
    const double script = pixels * kScript;
    const Node name{.kind = Kind::upright, .text = node.text};
    const Formula::Size inner = measured(node.parts[0], pixels);
    const Formula::Size words = Setter(nullptr, {}, {}).text(name, {}, script);
    const double width = std::max(inner.width, words.width);
    const double top = at.y() + std::max(inner.descent, 0.3 * pixels) + 0.1 * pixels;
    const double height = kBraceHeight * pixels;
    row(node.parts[0], at + QPointF((width - inner.width) / 2, 0), pixels);
    if (painter_) {
      drawBrace(QRectF(at.x() + (width - inner.width) / 2, top, inner.width, height));
      Setter(painter_, nameColor_, nameColor_)
          .text(name,
                {at.x() + (width - words.width) / 2, top + height + words.ascent + 0.1 * pixels},
                script);
    }
    return {.width = width,
            .ascent = inner.ascent,
            .descent = top - at.y() + height + words.ascent + words.descent + 0.15 * pixels};
  }

  void drawBrace(const QRectF& area) const {
    const double middle = area.center().x(), half = area.center().y(), bend = area.height() / 2;
    QPainterPath path(area.topLeft());
    path.quadTo(QPointF(area.left(), half), QPointF(area.left() + bend, half));
    path.lineTo(middle - bend, half);
    path.quadTo(QPointF(middle, half), QPointF(middle, area.bottom()));
    path.quadTo(QPointF(middle, half), QPointF(middle + bend, half));
    path.lineTo(area.right() - bend, half);
    path.quadTo(QPointF(area.right(), half), area.topRight());
    painter_->setPen(QPen(nameColor_, 1));
    painter_->setBrush(Qt::NoBrush);
    painter_->drawPath(path);
  }

  QPainter* painter_;
  QColor color_;
  QColor nameColor_;
};

QString plainTextOf(const std::vector<Node>& nodes) {
  QString text;
  for (const Node& node : nodes) {
    switch (node.kind) {
      case Kind::letter:
      case Kind::upright:
        text += node.text;
        break;
      case Kind::relation:
        text += u' ' + node.text + u' ';
        break;
      case Kind::space:
        text += u' ';
        break;
      case Kind::sum:
        text +=
            node.text + (node.parts.empty() ? u""_s : u"_"_s + plainTextOf(node.parts[0])) + u' ';
        break;
      case Kind::bar:
        text += plainTextOf(node.parts[0]) + QChar(0x0304);
        break;
      case Kind::hat:
        text += plainTextOf(node.parts[0]) + QChar(0x0302);
        break;
      case Kind::brace:
      case Kind::group:
        text += plainTextOf(node.parts[0]);
        break;
    }
    if (!node.below.empty()) text += u'_' + plainTextOf(node.below);
    if (!node.above.empty()) text += u'^' + plainTextOf(node.above);
  }
  return text;
}

}  // namespace

Formula::Formula(const QString& tex) : row_(parseFormula(tex)) {}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

Formula::Size Formula::sizeIn(double pixels) const {
  return Setter(nullptr, {}, {}).row(row_, {}, pixels);
}

void Formula::paint(QPainter& painter,
                    const QPointF& at,
                    double pixels,
                    const QColor& color,
                    const QColor& nameColor) const {
  painter.setRenderHint(QPainter::Antialiasing);
  Setter(&painter, color, nameColor).row(row_, at, pixels);
}

QString Formula::plainText() const {
  return plainTextOf(row_).simplified();
}

}  // namespace lambda
