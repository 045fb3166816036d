#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "widgets/plots/curve_plot.h"
#include "widgets/plots/smoothing.h"

namespace lambda {

/// All points of one series, ready to be drawn: what the run is made of, ascending by step, and
/// apart from it the branches that were left when the run went back to an earlier step. Keeps the
/// moving average up to date as points arrive: appending costs what is appended, not what is there.
class SeriesHistory {
 public:
  /// Points that cannot be connected: a branch's, or the points that are no numbers.
  struct Branch {
    CurveSamples samples;
  };

  SeriesHistory() = default;

  explicit SeriesHistory(double smoothing) : smoothing_(smoothing), average_(smoothing) {}

  /// Adds points in their order. One whose step is not above the last one's makes a branch of all
  /// from its step on.
  void append(const CurveSamples& samples);

  void setSmoothing(double weight);

  const CurveSamples& samples() const { return samples_; }

  /// The moving average after each point; NaN where a point is no number.
  const std::vector<double>& smoothedValues() const { return smoothed_; }

  const std::vector<Branch>& abandoned() const { return abandoned_; }

  /// Indices of points that are NaN or infinite.
  const std::vector<std::size_t>& notFinite() const { return notFinite_; }

  bool empty() const { return samples_.step.empty(); }

  std::size_t size() const { return samples_.step.size(); }

  /// Along an axis; empty where the series has no values for it.
  static std::span<const double> along(const CurveSamples& samples, CurveAxis axis);

  std::span<const double> x(CurveAxis axis) const { return along(samples_, axis); }

  /// The point nearest to a place on the axis; none if the series is not to be seen there.
  std::optional<std::size_t> nearest(CurveAxis axis, double place) const;

  /// Smallest and greatest finite value with `low` <= x <= `high`; of those above 0 alone if
  /// `positive`.
  std::optional<std::pair<double, double>> valueRange(CurveAxis axis,
                                                      double low,
                                                      double high,
                                                      bool positive) const;

 private:
  void abandonFrom(std::size_t index);
  void append(const CurveSamples& samples, std::size_t index);
  void recomputeAverage();

  CurveSamples samples_;
  std::vector<double> smoothed_;
  std::vector<std::size_t> notFinite_;
  std::vector<Branch> abandoned_;
  double smoothing_ = 0;
  DebiasedAverage average_;
};

}  // namespace lambda
