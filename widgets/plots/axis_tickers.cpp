#include "widgets/plots/axis_tickers.h"

#include <algorithm>
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

class PlaceTicker : public QCPAxisTicker {
 public:
  explicit PlaceTicker(CurveAxis axis) : axis_(axis) {}

 protected:
  double getTickStep(const QCPRange& range) override {
    if (axis_ == CurveAxis::time) return timeStep(range.size() / tickCount());
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
  double timeStep(double wanted) const {
    constexpr double kRound[] = {1,   2,    5,    10,   15,    30,    60,    120,   300,    600,
                                 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};
    if (wanted > kRound[std::size(kRound) - 1]) return cleanMantissa(wanted);
    return *std::lower_bound(std::begin(kRound), std::end(kRound), wanted);
  }

  CurveAxis axis_;
  double step_ = 1;
};

class ValueTicker : public QCPAxisTicker {
 public:
  explicit ValueTicker(bool percent) : percent_(percent) {}

 protected:
  bool percent() const { return percent_; }

  double getTickStep(const QCPRange& range) override {
    return step_ = QCPAxisTicker::getTickStep(range);
  }

  int getSubTickCount(double) override { return 0; }

  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    if (percent_) return shortNumber(100 * tick, 100 * step_) + u" %"_s;
    return shortNumber(tick, step_);
  }

 private:
  bool percent_;
  double step_ = 1;
};

/// Losses rarely span two powers of ten, so that 1, 2 and 5 times each power are ticks too; a range
/// with too few of them has the ticks of a linear axis.
class LogTicker : public ValueTicker {
 public:
  using ValueTicker::ValueTicker;

 protected:
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override {
    if (range.lower <= 0 || range.upper / range.lower < 4) {
      return ValueTicker::createTickVector(tickStep, range);
    }
    const bool wide = range.upper / range.lower > 1e4;
    QVector<double> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(range.lower)));
         power <= static_cast<int>(std::ceil(std::log10(range.upper)));
         ++power) {
      const double base = std::pow(10.0, power);
      ticks.append(base);
      if (!wide) ticks << 2 * base << 5 * base;
    }
    return ticks;
  }

  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return roundedText(percent() ? 100 * tick : tick) + (percent() ? u" %"_s : u""_s);
  }
};

}  // namespace

QSharedPointer<QCPAxisTicker> placeTicker(CurveAxis axis) {
  return QSharedPointer<PlaceTicker>::create(axis);
}

QSharedPointer<QCPAxisTicker> valueTicker(bool percent, bool logarithmic) {
  if (logarithmic) return QSharedPointer<LogTicker>::create(percent);
  return QSharedPointer<ValueTicker>::create(percent);
}

}  // namespace lambda
