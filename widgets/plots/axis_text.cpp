#include "widgets/plots/axis_text.h"

#include <cmath>

#include <QLocale>

#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kMinute = 60;
constexpr int kHour = 60 * kMinute;
constexpr int kDay = 24 * kHour;

/// The person's locale. The C locale, which does not group digits, is replaced.
QLocale locale() {
  const QLocale own;
  return own.language() == QLocale::C ? QLocale(QLocale::English) : own;
}

QString twoFigures(qint64 number) {
  return u"%1"_s.arg(number, 2, 10, QLatin1Char('0'));
}

}  // namespace

QString countText(double count) {
  return locale().toString(std::llround(count));
}

QString clockText(double seconds) {
  if (!std::isfinite(seconds)) return u"–"_s;
  const qint64 whole = std::llround(std::abs(seconds));
  const QString sign = seconds < 0 && whole > 0 ? u"−"_s : QString();
  const QString tail = twoFigures(whole % kMinute);
  if (whole < kHour) return sign + QString::number(whole / kMinute) + u":"_s + tail;
  return sign + QString::number(whole / kHour) + u":"_s + twoFigures(whole % kHour / kMinute) +
         u":"_s + tail;
}

QString durationText(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return u"–"_s;
  const qint64 whole = std::llround(seconds);
  if (whole < kMinute) return tr("%1 s").arg(whole);
  if (whole < kHour) return tr("%1 min %2 s").arg(whole / kMinute).arg(twoFigures(whole % kMinute));
  if (whole < kDay) {
    return tr("%1 h %2 min").arg(whole / kHour).arg(twoFigures(whole % kHour / kMinute));
  }
  return tr("%1 d %2 h").arg(whole / kDay).arg(whole % kDay / kHour);
}

QString valueText(double value, bool percent) {
  if (std::isnan(value)) return u"NaN"_s;
  if (std::isinf(value)) return value > 0 ? u"+∞"_s : u"−∞"_s;
  if (percent) return locale().toString(100 * value, 'f', 1) + u" %"_s;
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) return locale().toString(value, 'g', 4);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4;
  return locale().toString(value, 'f', decimals);
}

QString placeText(CurveAxis axis, double place) {
  switch (axis) {
    case CurveAxis::steps:
      return tr("step %1").arg(countText(place));
    case CurveAxis::epochs:
      return tr("epoch %1").arg(locale().toString(place, 'f', 2));
    case CurveAxis::time:
      return clockText(place);
  }
  return {};
}

QString axisTitle(CurveAxis axis) {
  switch (axis) {
    case CurveAxis::steps:
      return tr("Step");
    case CurveAxis::epochs:
      return tr("Epoch");
    case CurveAxis::time:
      return tr("Training time");
  }
  return {};
}

}  // namespace lambda
