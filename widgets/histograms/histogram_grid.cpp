#include "widgets/histograms/histogram_grid.h"

#include <algorithm>
#include <cmath>

namespace lambda {

namespace {

constexpr double kOutliers = 0.001;  // Share of the values left out at each end.

/// Slopes of a monotone cubic at its points: the harmonic mean of the secants beside each.
std::vector<double> slopesOf(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t count = x.size();
  std::vector<double> slopes(count, 0.0);
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const double before = secant(i - 1), after = secant(i);
    if (before <= 0 || after <= 0) continue;
    const double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
    const double a = 2 * right + left, b = right + 2 * left;
    slopes[i] = (a + b) / (a / before + b / after);
  }
  return slopes;
}

/// The share of values below each place: points at the bins' ends and the slopes there.
struct Distribution {
  std::vector<double> places;
  std::vector<double> below;
  std::vector<double> slopes;

  double at(double place) const {
    if (places.empty() || place <= places.front()) return 0;
    if (place >= places.back()) return 1;
    const auto after = std::ranges::upper_bound(places, place);
    const auto i = static_cast<std::size_t>(after - places.begin()) - 1;
    const double width = places[i + 1] - places[i];
    const double t = (place - places[i]) / width, u = 1 - t;
    const double value = below[i] * u * u * (1 + 2 * t) + below[i + 1] * t * t * (1 + 2 * u) +
                         width * t * u * (slopes[i] * u - slopes[i + 1] * t);
    return std::clamp(value, below[i], below[i + 1]);
  }
};

Distribution distributionOf(const Histogram& histogram, const ValueScale& scale) {
  Distribution result;
  const auto count = static_cast<double>(histogram.finiteCount());
  double sum = 0;
  const auto add = [&](double value, double share) {
    const double place = scale.placeOf(value);
    // Bins that are too narrow for a double on this axis are one step of the distribution.
    if (!result.places.empty() && place <= result.places.back()) {
      result.below.back() = share;
      return;
    }
    result.places.push_back(place);
    result.below.push_back(share);
  };
  for (const HistogramBin& bin : binsOf(histogram)) {
    add(bin.low, sum / count);
    sum += static_cast<double>(bin.count);
    add(bin.high, sum / count);
  }
  result.slopes = slopesOf(result.places, result.below);
  return result;
}

double roundStep(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> logarithmicTicks(const ValueScale& scale, double low, double high, int wanted) {
  const double lowest = scale.valueAt(low), highest = scale.valueAt(high);
  const double greatest = std::max(std::abs(lowest), std::abs(highest));
  const auto last = static_cast<int>(std::floor(std::log10(greatest)));
  const auto first = static_cast<int>(std::ceil(std::log10(scale.unit)));
  const int sides = lowest < 0 && highest > 0 ? 2 : 1;
  const int apart = std::max(
      1, static_cast<int>(std::ceil(static_cast<double>(sides * (last - first + 1)) / wanted)));
  std::vector<double> ticks{0};
  for (int power = last; power >= first; power -= apart) {
    ticks.push_back(std::pow(10, power));
    ticks.push_back(-std::pow(10, power));
  }
  std::erase_if(ticks, [&](double tick) { return tick < lowest || tick > highest; });
  std::ranges::sort(ticks);
  return ticks;
}

struct Extent {
  double low = 0;
  double high = 0;
  double unit = 0;  ///< For a logarithmic axis.
};

Extent extentOf(const std::vector<HistogramColumn>& columns, bool isLogarithmic) {
  const double outliers = isLogarithmic ? 0 : kOutliers;
  double low = INFINITY, high = -INFINITY, smallest = INFINITY;
  for (const HistogramColumn& column : columns) {
    if (column.histogram->finiteCount() == 0) continue;
    low = std::min(low, quantileOf(*column.histogram, outliers));
    high = std::max(high, quantileOf(*column.histogram, 1 - outliers));
    const double middle = std::max(std::abs(quantileOf(*column.histogram, 0.25)),
                                   std::abs(quantileOf(*column.histogram, 0.75)));
    if (middle > 0) smallest = std::min(smallest, middle);
  }
  if (low > high) return {0, 1, 1};
  if (low == high) {
    const double around = low == 0 ? 1 : std::abs(low);
    low -= around;
    high += around;
  }
  // Most values lie above the unit, also in the step with the smallest ones.
  const double greatest = std::max(std::abs(low), std::abs(high));
  return {low, high, std::clamp(smallest / 30, 1e-10 * greatest, 1e-3 * greatest)};
}

}  // namespace

double ValueScale::placeOf(double value) const {
  return isLogarithmic ? std::asinh(value / unit) : value;
}

double ValueScale::valueAt(double place) const {
  return isLogarithmic ? unit * std::sinh(place) : place;
}

std::vector<double> valueTicks(const ValueScale& scale, double low, double high, int wanted) {
  wanted = std::max(wanted, 2);
  if (scale.isLogarithmic) return logarithmicTicks(scale, low, high, wanted);
  const double step = roundStep((high - low) / wanted);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    ticks.push_back(i * step + 0.0);  // Not -0.
  }
  return ticks;
}

std::vector<double> sharesBetween(const Histogram& histogram,
                                  const ValueScale& scale,
                                  std::span<const double> places) {
  if (places.size() < 2) return {};
  std::vector<double> shares(places.size() - 1);
  if (histogram.finiteCount() == 0) return shares;
  const Distribution distribution = distributionOf(histogram, scale);
  double before = distribution.at(places[0]);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double next = distribution.at(places[i + 1]);
    shares[i] = next - before;
    before = next;
  }
  return shares;
}

double HistogramGrid::greatestShare() const {
  return shares.empty() ? 0 : static_cast<double>(std::ranges::max(shares));
}

HistogramGrid gridOf(const std::vector<HistogramColumn>& columns, bool isLogarithmic) {
  const Extent extent = extentOf(columns, isLogarithmic);
  HistogramGrid grid;
  grid.scale = {isLogarithmic, extent.unit};
  grid.low = grid.scale.placeOf(extent.low);
  grid.high = grid.scale.placeOf(extent.high);
  const double margin = 0.02 * (grid.high - grid.low);
  grid.low -= margin;
  grid.high += margin;
  std::vector<double> edges;
  for (int row = 0; row <= HistogramGrid::kRows; ++row) edges.push_back(grid.placeOfRow(row));
  grid.shares.reserve(columns.size() * HistogramGrid::kRows);
  for (const HistogramColumn& column : columns) {
    for (const double share : sharesBetween(*column.histogram, grid.scale, edges)) {
      grid.shares.push_back(static_cast<float>(share));
    }
    std::vector<double>& quantiles = grid.quantiles.emplace_back();
    for (const double each : kShownQuantiles) {
      quantiles.push_back(quantileOf(*column.histogram, each));
    }
  }
  return grid;
}

}  // namespace lambda
