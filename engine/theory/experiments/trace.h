#pragma once

#include <span>
#include <vector>

#include "engine/values/theory/theory_experiment.h"

namespace lambda::theory {

/// Curves over the steps of a training whose length is not known before: keeps every step at
/// first, and half as many each time that it has too many.
class Trace {
 public:
  explicit Trace(std::vector<std::string> names) {
    for (std::string& name : names) series_.push_back({std::move(name), {}, {}});
  }

  /// Whether add() would keep this step.
  bool isDue(long step) const { return step % stride_ == 0; }

  /// `values` has one for each name.
  void add(long step, std::span<const double> values) {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      series_[i].x.push_back(static_cast<double>(step));
      series_[i].y.push_back(values[i]);
    }
    if (series_.front().x.size() > kMostPoints) thin();
  }

  const std::vector<TheorySeries>& series() const { return series_; }

 private:
  static constexpr std::size_t kMostPoints = 400;

  void thin() {
    stride_ *= 2;
    for (TheorySeries& series : series_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < series.x.size(); i += 2, ++kept) {
        series.x[kept] = series.x[i];
        series.y[kept] = series.y[i];
      }
      series.x.resize(kept);
      series.y.resize(kept);
    }
  }

  long stride_ = 1;
  std::vector<TheorySeries> series_;
};

}  // namespace lambda::theory
