#include "widgets/plots/axes/axis_tickers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString shortNumber(double value, double step) {
  int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  // For a step of 2.5 or 0.25 the second digit counts too.
  const double digits = step * std::pow(10.0, decimals);
  if (std::abs(digits - std::round(digits)) > 1e-6) ++decimals;
  if (std::abs(value) < step / 1000) return u"0"_s;
  if (std::abs(value) >= 1e6 || decimals > 5) return roundedText(value);
  return fixedText(value, decimals);
}

/// Times in seconds that are round on a clock.
constexpr std::array<double, 24> kRoundTimes{
    1,    2,    5,    10,   15,    20,    30,    60,    120,    300,    600,    900,
    1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 604800, 864000};

/// The least of them that is no less; days beyond the greatest.
double roundTime(double wanted) {
  const auto* round = std::ranges::lower_bound(kRoundTimes, wanted);
  return round == kRoundTimes.end() ? 86400 * std::ceil(wanted / 86400) : *round;
}

class PlaceTicker : public QCPAxisTicker {
 public:
  explicit PlaceTicker(CurveAxis axis) : axis_(axis) {}

 protected:
  double getTickStep(const QCPRange& range) override {
    if (axis_ == CurveAxis::time) return roundTime(range.size() / tickCount());
    step_ = QCPAxisTicker::getTickStep(range);
    const bool isWithinOneEpoch = axis_ == CurveAxis::epochs && range.size() < 1;
    if (!isWithinOneEpoch) step_ = std::max(step_, 1.0);
    // Whole steps and epochs where an interval contains several: 2.5 would be written as 3.
    if (step_ > 1) step_ = std::floor(step_);
    return step_;
  }

  int getSubTickCount(double) override { return 0; }

  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    switch (axis_) {
      case CurveAxis::steps:
        return countText(std::llround(tick));
      case CurveAxis::epochs:
        return shortNumber(tick, step_);
      case CurveAxis::time:
        return clockText(tick);
    }
    return {};
  }

 private:
  CurveAxis axis_;
  double step_ = 1;
};

/// Ticks of y, or of x where that is no place of a run. Losses rarely span two powers of ten, so
/// that 1, 2 and 5 times each power are ticks of a logarithmic axis too; a range with too few of
/// them has the ticks of a linear axis.
class ValueTicker : public QCPAxisTicker {
 public:
  ValueTicker(ValueUnit unit, bool logarithmic) : unit_(unit), logarithmic_(logarithmic) {}

 protected:
  double getTickStep(const QCPRange& range) override {
    step_ = QCPAxisTicker::getTickStep(range);
    if (unit_ == ValueUnit::count) step_ = std::max(1.0, step_ > 1 ? std::floor(step_) : step_);
    if (unit_ == ValueUnit::seconds && range.size() > 60) {
      step_ = roundTime(range.size() / tickCount());
    }
    return step_;
  }

  int getSubTickCount(double) override { return 0; }

  QVector<double> createTickVector(double tickStep, const QCPRange& range) override {
    isWide_ = logarithmic_ && range.lower > 0 && range.upper / range.lower >= 4;
    if (!isWide_) return QCPAxisTicker::createTickVector(tickStep, range);
    QVector<double> ticks = unit_ == ValueUnit::seconds ? times(range) : decades(range);
    if (ticks.size() >= 2) return ticks;
    isWide_ = false;
    return QCPAxisTicker::createTickVector(tickStep, range);
  }

  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    if (isWide_ || unit_ == ValueUnit::count || unit_ == ValueUnit::seconds) {
      return tickText(unit_, tick);
    }
    if (unit_ == ValueUnit::percent) return shortNumber(100 * tick, 100 * step_) + u" %"_s;
    return shortNumber(tick, step_);
  }

 private:
  QVector<double> decades(const QCPRange& range) const {
    QVector<double> ticks, powers;
    for (double power = std::pow(10, std::floor(std::log10(range.lower))); power <= range.upper;
         power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (range.contains(factor * power)) ticks << factor * power;
      }
      if (range.contains(power)) powers << power;
    }
    if (ticks.size() <= 2 * tickCount() || powers.size() < 2) return ticks;
    return thinned(powers);
  }

  QVector<double> times(const QCPRange& range) const {
    QVector<double> ticks;
    for (const double time : kRoundTimes) {
      if (range.contains(time)) ticks << time;
    }
    return thinned(ticks);
  }

  /// As many as have space.
  QVector<double> thinned(const QVector<double>& ticks) const {
    const qsizetype every = 1 + ticks.size() / (2 * tickCount());
    QVector<double> kept;
    for (qsizetype i = 0; i < ticks.size(); i += every) kept << ticks[i];
    return kept;
  }

  ValueUnit unit_;
  bool logarithmic_;
  bool isWide_ = false;  ///< Of the ticks that were made last: they are no even steps.
  double step_ = 1;
};

}  // namespace

QSharedPointer<QCPAxisTicker> placeTicker(CurveAxis axis) {
  return QSharedPointer<PlaceTicker>::create(axis);
}

QSharedPointer<QCPAxisTicker> valueTicker(ValueUnit unit, bool logarithmic) {
  return QSharedPointer<ValueTicker>::create(unit, logarithmic);
}

}  // namespace lambda
