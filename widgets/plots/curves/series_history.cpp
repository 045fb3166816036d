#include "widgets/plots/curves/series_history.h"

#include <algorithm>
#include <cmath>

namespace lambda {

namespace {

void cut(std::vector<double>& values, std::size_t size) {
  if (values.size() > size) values.resize(size);
}

std::vector<double> tail(const std::vector<double>& values, std::size_t from) {
  if (values.size() <= from) return {};
  return {values.begin() + static_cast<std::ptrdiff_t>(from), values.end()};
}

}  // namespace

void SeriesHistory::append(const CurveSamples& samples) {
  const std::size_t branches = abandoned_.size();
  for (std::size_t i = 0; i < samples.step.size() && i < samples.y.size(); ++i) append(samples, i);
  // Done once for all points that are cut: a file may go back at every other point.
  if (abandoned_.size() != branches) recomputeAverage();
}

void SeriesHistory::append(const CurveSamples& samples, std::size_t index) {
  const double step = samples.step[index];
  if (!std::isfinite(step)) return;
  if (!empty() && step <= samples_.step.back()) {
    const auto place = std::lower_bound(samples_.step.begin(), samples_.step.end(), step);
    abandonFrom(static_cast<std::size_t>(place - samples_.step.begin()));
  }
  const double y = samples.y[index];
  if (!std::isfinite(y)) notFinite_.push_back(size());
  samples_.step.push_back(step);
  if (index < samples.epoch.size()) samples_.epoch.push_back(samples.epoch[index]);
  if (index < samples.seconds.size()) samples_.seconds.push_back(samples.seconds[index]);
  samples_.y.push_back(y);
  smoothed_.push_back(average_.add(y));
}

void SeriesHistory::abandonFrom(std::size_t index) {
  abandoned_.push_back({{tail(samples_.step, index),
                         tail(samples_.epoch, index),
                         tail(samples_.seconds, index),
                         tail(samples_.y, index)}});
  for (auto* values : {&samples_.step, &samples_.epoch, &samples_.seconds, &samples_.y}) {
    cut(*values, index);
  }
  smoothed_.resize(std::min(smoothed_.size(), index));
  notFinite_.erase(std::lower_bound(notFinite_.begin(), notFinite_.end(), index), notFinite_.end());
}

void SeriesHistory::setSmoothing(double weight) {
  smoothing_ = weight;
  recomputeAverage();
}

void SeriesHistory::recomputeAverage() {
  average_ = DebiasedAverage(smoothing_);
  smoothed_.clear();
  smoothed_.reserve(samples_.y.size());
  for (const double value : samples_.y) smoothed_.push_back(average_.add(value));
}

std::span<const double> SeriesHistory::along(const CurveSamples& samples, CurveAxis axis) {
  const std::vector<double>* x = &samples.step;
  if (axis == CurveAxis::epochs) x = &samples.epoch;
  if (axis == CurveAxis::time) x = &samples.seconds;
  if (x->size() != samples.y.size()) return {};
  return *x;
}

std::optional<std::size_t> SeriesHistory::nearest(CurveAxis axis, double place) const {
  const std::span<const double> values = x(axis);
  if (values.empty()) return std::nullopt;
  const auto after = std::lower_bound(values.begin(), values.end(), place);
  if (after == values.end()) return values.size() - 1;
  const auto index = static_cast<std::size_t>(after - values.begin());
  if (index > 0 && place - values[index - 1] < values[index] - place) return index - 1;
  return index;
}

std::optional<std::pair<double, double>> SeriesHistory::valueRange(CurveAxis axis,
                                                                   double low,
                                                                   double high,
                                                                   bool positive) const {
  const std::span<const double> values = x(axis);
  std::optional<std::pair<double, double>> range;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = samples_.y[i];
    if (values[i] < low || values[i] > high || !std::isfinite(y) || (positive && y <= 0)) continue;
    if (!range) range = {y, y};
    range->first = std::min(range->first, y);
    range->second = std::max(range->second, y);
  }
  return range;
}

}  // namespace lambda
