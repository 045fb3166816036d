#include "widgets/equations/formula_line.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPixels = 16;  // height of the letters at the usual size of text
constexpr double kGap = 24;     // between formulas in one line
constexpr double kLineGap = 6;
constexpr int kLeastWidth = 120;

}  // namespace

FormulaLine::FormulaLine(QWidget* parent) : QWidget(parent) {
  describeLines(*this, [this] {
    QStringList lines;
    for (const Formula& formula : formulas_) lines << formula.plainText();
    return lines;
  });
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void FormulaLine::setFormulas(const QStringList& formulas) {
  if (formulas == written_) return;
  written_ = formulas;
  formulas_.clear();
  QStringList words;
  for (const QString& formula : formulas) {
    words << formulas_.emplace_back(formula).plainText();
  }
  setAccessibleName(words.join(u"; "_s));
  updateGeometry();
  update();
}

std::vector<FormulaLine::Place> FormulaLine::placesIn(int width, double& height) const {
  std::vector<Place> places;
  const double usual = kPixels * textScale(), gap = kGap * textScale();
  double left = 0, top = 0, ascent = 0, descent = 0;
  std::size_t lineStart = 0;
  const auto endLine = [&] {
    for (std::size_t i = lineStart; i < places.size(); ++i) places[i].at.setY(top + ascent);
    top += ascent + descent + kLineGap * textScale();
    left = ascent = descent = 0;
    lineStart = places.size();
  };
  for (const Formula& formula : formulas_) {
    double pixels = usual;
    Formula::Size size = formula.sizeIn(pixels);
    if (left > 0 && left + size.width > width) endLine();
    if (size.width > width) {
      pixels = std::max(1.0, std::floor(pixels * width / size.width));
      size = formula.sizeIn(pixels);
    }
    places.push_back({&formula, QPointF(left, 0), pixels});
    left += size.width + gap;
    ascent = std::max(ascent, size.ascent);
    descent = std::max(descent, size.descent);
  }
  endLine();
  height = top;
  return places;
}

int FormulaLine::heightForWidth(int width) const {
  double height = 0;
  placesIn(width, height);
  return static_cast<int>(std::ceil(height)) + 1;
}

QSize FormulaLine::sizeHint() const {
  double width = 0;
  for (const Formula& formula : formulas_) {
    width += formula.sizeIn(kPixels * textScale()).width + kGap * textScale();
  }
  const int whole = std::max(kLeastWidth, static_cast<int>(std::ceil(width)));
  return {whole, heightForWidth(whole)};
}

QSize FormulaLine::minimumSizeHint() const {
  return {kLeastWidth, 0};
}

void FormulaLine::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  double height = 0;
  for (const Place& place : placesIn(width(), height)) {
    place.formula->paint(painter, place.at, place.pixels, colors.text, colors.textSecondary);
  }
}

}  // namespace lambda
