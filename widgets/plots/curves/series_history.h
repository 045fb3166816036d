#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/curves/smoothing.h"

namespace lambda {

/// All points of one series, ready to be drawn: the points of the run, ascending by step, and
/// separately the branches that were left when the run went back to an earlier step. The moving
/// average is updated as points arrive: the cost of appending depends on the new points alone.
class SeriesHistory {
 public:
  /// Points that are not connected: those of a branch, or those that are not finite.
  struct Branch {
    CurveSamples samples;
  };

  SeriesHistory() = default;

  explicit SeriesHistory(double smoothing) : smoothing_(smoothing), average_(smoothing) {}

  /// Adds points in their order. A point whose step is not above the last one's moves all points
  /// from its step on into a branch.
  void append(const CurveSamples& samples);

  void setSmoothing(double weight);

  const CurveSamples& samples() const { return samples_; }

  /// The moving average after each point; NaN where a point is not finite.
  const std::vector<double>& smoothedValues() const { return smoothed_; }

  const std::vector<Branch>& abandoned() const { return abandoned_; }

  /// Indices of points that are NaN or infinite.
  const std::vector<std::size_t>& notFinite() const { return notFinite_; }

  bool empty() const { return samples_.step.empty(); }

  std::size_t size() const { return samples_.step.size(); }

  /// Positions along an axis; empty where the series has no values for it.
  static std::span<const double> along(const CurveSamples& samples, CurveAxis axis);

  std::span<const double> x(CurveAxis axis) const { return along(samples_, axis); }

  /// The point nearest to a place on the axis; none where the series is not shown there.
  std::optional<std::size_t> nearest(CurveAxis axis, double place) const;

  /// Smallest and greatest finite value with `low` <= x <= `high`; only of values above 0 where
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
