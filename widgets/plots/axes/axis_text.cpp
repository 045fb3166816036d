#include "widgets/plots/axes/axis_text.h"

#include <array>
#include <cmath>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString countTick(double value) {
  static const std::array prefixes{u""_s, u" k"_s, u" M"_s, u" G"_s, u" T"_s, u" P"_s};
  std::size_t prefix = 0;
  while (std::abs(value) >= 1000 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return roundedText(value) + prefixes[prefix];
}

QString timeTick(double seconds) {
  if (seconds < 60) return u"%1 s"_s.arg(roundedText(seconds));
  if (seconds < 3600) return u"%1 min"_s.arg(roundedText(seconds / 60));
  if (seconds < 86400) return u"%1 h"_s.arg(roundedText(seconds / 3600));
  return u"%1 d"_s.arg(roundedText(seconds / 86400));
}

}  // namespace

QString valueText(double value, bool percent) {
  return percent ? accuracyText(value) : numberText(value, 4);
}

QString placeText(CurveAxis axis, double place) {
  switch (axis) {
    case CurveAxis::steps:
      return u"step %1"_s.arg(countText(std::llround(place)));
    case CurveAxis::epochs:
      return u"epoch %1"_s.arg(fixedText(place, 2));
    case CurveAxis::time:
      return clockText(place);
  }
  return {};
}

QString tickText(ValueUnit unit, double value) {
  switch (unit) {
    case ValueUnit::number:
      return roundedText(value);
    case ValueUnit::percent:
      return roundedText(100 * value) + u" %"_s;
    case ValueUnit::count:
      return countTick(value);
    case ValueUnit::seconds:
      return timeTick(value);
  }
  return {};
}

QString axisTitle(CurveAxis axis) {
  switch (axis) {
    case CurveAxis::steps:
      return u"Step"_s;
    case CurveAxis::epochs:
      return u"Epoch"_s;
    case CurveAxis::time:
      return u"Training time"_s;
  }
  return {};
}

}  // namespace lambda
