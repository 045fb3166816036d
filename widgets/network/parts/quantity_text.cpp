#include "widgets/network/parts/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QCoreApplication>
#include <QLocale>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QChar kSpace(0x00a0);  // No line break between a number and its unit.

/// `value` with at least that many significant digits: no digit before the point is dropped.
QString digitsOf(double value, int digits) {
  const int before = value < 1 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  return QString::number(value, 'f', std::max(0, digits - before));
}

QString withPrefix(double value, int digits, const QString& unit) {
  constexpr std::array kPrefixes{u"", u"k", u"M", u"G", u"T", u"P"};
  std::size_t prefix = 0;
  // 999.6 k becomes 1 M where no digit is left for the fraction.
  const double limit = 1000 - 0.5 * std::pow(10.0, std::min(0, 3 - digits));
  while (value >= limit && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const QString number = prefix == 0 ? QString::number(value, 'f', 0) : digitsOf(value, digits);
  const QString suffix = QString::fromUtf16(kPrefixes[prefix]) + unit;
  return suffix.isEmpty() ? number : number + kSpace + suffix;
}

}  // namespace

QString shortCount(long long count, int digits) {
  const QString text = withPrefix(std::abs(static_cast<double>(count)), digits, {});
  return count < 0 ? u"−"_s + text : text;
}

QString shortBytes(long long bytes, int digits) {
  const QString text = withPrefix(std::abs(static_cast<double>(bytes)), digits, u"B"_s);
  return bytes < 0 ? u"−"_s + text : text;
}

QString shortDuration(double seconds) {
  const auto tr = [](const char* text) -> QString {
    return QCoreApplication::translate("Quantity", text);
  };
  if (seconds < 9.95) return tr("%1 s").arg(seconds, 0, 'f', 1);
  if (seconds < 99.5) return tr("%1 s").arg(seconds, 0, 'f', 0);
  const long long minutes = std::llround(seconds / 60);
  if (minutes < 60) return tr("%1 min").arg(minutes);
  if (minutes < 48LL * 60) {
    return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60, 2, 10, QChar(u'0'));
  }
  return tr("%1 days").arg(static_cast<double>(minutes) / (24.0 * 60), 0, 'f', 1);
}

QString groupedCount(long long count) {
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(count);
}

}  // namespace lambda
