#include "widgets/theme/typography.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QFontMetricsF>

namespace lambda {

namespace {

constexpr double kBodyPixels = 13;

QFont scaled(double pixels, QFont::Weight weight = QFont::Normal) {
  QFont font = QApplication::font();
  font.setPixelSize(qRound(pixels * textScale()));
  font.setWeight(weight);
  return font;
}

bool hasTabularFigures(const QFont& font) {
  const QFontMetricsF metrics(font);
  return qFuzzyCompare(metrics.horizontalAdvance(u'1'), metrics.horizontalAdvance(u'8'));
}

}  // namespace

double textScale() {
  const int pixels = QApplication::font().pixelSize();
  return pixels > 0 ? pixels / kBodyPixels : 1.0;
}

QFont smallFont() {
  return scaled(11);
}

QFont bodyFont() {
  return scaled(kBodyPixels);
}

QFont headingFont() {
  return scaled(15, QFont::DemiBold);
}

QFont numberFont() {
  const QFont body = bodyFont();
  if (hasTabularFigures(body)) return body;
  QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  fixed.setPixelSize(body.pixelSize());
  return fixed;
}

}  // namespace lambda
