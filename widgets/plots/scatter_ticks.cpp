#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include <QCoreApplication>

#include "widgets/plots/scatter_picture.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Round times in seconds.
constexpr std::array kTimes{1.0,     2.0,     5.0,     10.0,     20.0,     30.0,    60.0,
                            120.0,   300.0,   600.0,   1200.0,   1800.0,   3600.0,  7200.0,
                            18000.0, 36000.0, 86400.0, 172800.0, 432000.0, 864000.0};

QString countTickText(double value) {
  static const std::array prefixes{u""_s, u" k"_s, u" M"_s, u" G"_s, u" T"_s};
  std::size_t prefix = 0;
  while (std::abs(value) >= 1000 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return roundedText(value) + prefixes[prefix];
}

QString timeTickText(double seconds) {
  const auto unit = [&](double size, const char* text) {
    return QCoreApplication::translate("Curves", text).arg(roundedText(seconds / size));
  };
  if (seconds < 60) return unit(1, "%1 s");
  if (seconds < 3600) return unit(60, "%1 min");
  if (seconds < 86400) return unit(3600, "%1 h");
  return unit(86400, "%1 d");
}

/// 1, 2 and 5 times the powers of ten, or the powers alone where that is too many.
std::vector<double> logarithmicTicks(double low, double high, int wanted) {
  std::vector<double> ticks, powers;
  for (double base = std::pow(10, std::floor(std::log10(low))); base <= high; base *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = base * factor;
      if (tick < low || tick > high) continue;
      ticks.push_back(tick);
      if (factor == 1) powers.push_back(tick);
    }
  }
  return static_cast<int>(ticks.size()) > wanted && powers.size() >= 2 ? powers : ticks;
}

std::vector<double> linearTicks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  const double base = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough <= base       ? base
                      : rough <= 2 * base ? 2 * base
                      : rough <= 5 * base ? 5 * base
                                          : 10 * base;
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) ticks.push_back(i * step);
  return ticks;
}

}  // namespace

std::vector<double> ticksFor(const ScatterAxis& axis, double low, double high, int wanted) {
  wanted = std::max(wanted, 2);
  if (!(low < high)) return {};
  std::vector<double> ticks;
  const bool isWide = axis.logarithmic && high / low > 4;
  if (axis.unit == ScatterUnit::seconds && (isWide || high - low > 60)) {
    std::copy_if(kTimes.begin(), kTimes.end(), std::back_inserter(ticks), [&](double time) {
      return time >= low && time <= high;
    });
  }
  if (ticks.size() < 2)
    ticks = isWide ? logarithmicTicks(low, high, wanted) : linearTicks(low, high, wanted);
  if (ticks.size() < 2) ticks = linearTicks(low, high, wanted);
  const std::size_t every =
      (ticks.size() + static_cast<std::size_t>(wanted) - 1) / static_cast<std::size_t>(wanted);
  std::vector<double> kept;
  for (std::size_t i = 0; i < ticks.size(); i += std::max<std::size_t>(every, 1))
    kept.push_back(ticks[i]);
  return kept;
}

QString tickText(const ScatterAxis& axis, double value) {
  switch (axis.unit) {
    case ScatterUnit::percent:
      return roundedText(std::round(value * 1e4) / 100, 6) + u" %"_s;
    case ScatterUnit::count:
      return countTickText(value);
    case ScatterUnit::seconds:
      return timeTickText(value);
  }
  return {};
}

}  // namespace lambda
