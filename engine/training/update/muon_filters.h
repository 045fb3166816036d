#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "engine/values/run_config.h"

namespace lambda {

/// The filters that Muon updates, one by one, and their momentum. Lives on the training thread, and
/// as long as a record of its work.
class MuonFilters {
 public:
  explicit MuonFilters(const OptimizerConfig& config) : config_(config) {}

  /// Filters [out, in, height, width] and their momentum; both are moved by updates.
  void add(const at::Tensor& filters, const at::Tensor& momentum);

  bool areNone() const { return filters_.empty(); }

  /// Sends how far the filters move in the update that was or will be queued: of both rates the
  /// same share of their peaks.
  void sendRate(double learningRate);

  /// Queues the update. Gradients, float32 or bfloat16, are in the order of the filters; those
  /// without one stay. Scale and condition as in MuonStep.
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
  at::Tensor rate_;  // float32 [1] where the filters are; undefined where there are none.
};

}  // namespace lambda
