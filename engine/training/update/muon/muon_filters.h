#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The filters that Muon updates, one by one, and their momentum; none for other optimisers. Lives
/// on the training thread, and must outlive any recording of its work.
class MuonFilters {
 public:
  explicit MuonFilters(const OptimizerConfig& config) : config_(config) {}

  /// Adds filters [out, in, height, width] and their momentum; updates change both in place.
  void add(const at::Tensor& filters, const at::Tensor& momentum);

  bool areNone() const { return filters_.empty(); }

  /// Sends Muon's learning rate to the update, which may be queued before or after. It is the same
  /// share of its peak as `learningRate` is of the peak of the other weights.
  void sendRate(double learningRate);

  /// Queues the update. The gradients, float32 or bfloat16, are in the order of the filters;
  /// filters with an undefined gradient stay. `gradientScale` and `moves` are as in MuonStep.
  void update(const std::vector<at::Tensor>& gradients,
              const at::Tensor& gradientScale,
              const at::Tensor& moves) const;

 private:
  struct Filters {
    at::Tensor weights;
    at::Tensor momentum;
  };

  OptimizerConfig config_;
  std::vector<Filters> filters_;
  at::Tensor rate_;  // float32 [1] on the device of the filters; undefined without filters.
};

}  // namespace lambda
