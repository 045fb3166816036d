#include "widgets/pictures/number_text.h"

#include <algorithm>
#include <cmath>

#include <QLocale>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLeastFixed = 1e-3;
constexpr double kGreatestFixed = 1e6;

QString withTrueMinus(QString text) {
  return text.replace(u'-', QChar(0x2212));
}

/// "1.2e-05" as "1.2e-5", without leading zeros in the exponent.
QString withShortExponent(QString text) {
  const qsizetype e = text.indexOf(u'e');
  if (e < 0) return text;
  const QString sign = text[e + 1] == u'-' ? u"-"_s : QString();
  qsizetype digit = e + 2;
  while (digit + 1 < text.size() && text[digit] == u'0') ++digit;
  return text.left(e + 1) + sign + text.mid(digit);
}

}  // namespace

QString numberText(double value, int digits) {
  if (std::isnan(value)) return u"NaN"_s;
  if (std::isinf(value)) return value > 0 ? u"∞"_s : u"−∞"_s;
  if (value == 0) return u"0"_s;
  QLocale locale;
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  const double size = std::abs(value);
  if (size < kLeastFixed || size >= kGreatestFixed) {
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return withTrueMinus(withShortExponent(locale.toString(value, 'e', digits - 1)));
  }
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return withTrueMinus(locale.toString(value, 'f', std::max(0, digits - before)));
}

QString countText(qint64 value) {
  return withTrueMinus(QLocale().toString(value));
}

QString percentText(double share, int decimals) {
  return QLocale().toString(100 * share, 'f', decimals) + u" %"_s;
}

}  // namespace lambda
