#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/update/muon/muon_filters.h"
#include "engine/training/update/updated_parameter.h"
#include "engine/values/config/run_config.h"

namespace lambda {

class WeightAverage;

/// The inputs of an update besides the gradients.
struct UpdateStep {
  double learningRate = 0;
  at::Tensor loss = {};  ///< float32 scalar on the weights' device; undefined = assume finite.
  WeightAverage* average = nullptr;  ///< Updated with the new weights; null = none is kept.
  std::int64_t step = 1;             ///< Step of the run, counted from 1; for the average.
};

/// A back end of the optimiser: SGD with Nesterov momentum, Adam, AdamW, Lion and Muon for all
/// parameters of a module together. Muon's filters are updated one by one, before the other
/// weights, by the same operations in each back end. Lives on the training thread.
class WeightUpdate {
 public:
  WeightUpdate(const OptimizerConfig& config, std::vector<UpdatedParameter> parameters);
  virtual ~WeightUpdate() = default;

  WeightUpdate(const WeightUpdate&) = delete;
  WeightUpdate& operator=(const WeightUpdate&) = delete;

  /// Does one update. The gradients are scaled down if their common 2-norm is above the recipe's
  /// `gradientClip`; parameters without a gradient stay as they are. If norm or loss is not finite,
  /// weights, moments and averages stay. Returns the norm before clipping, a float64 scalar. The
  /// gradients are unspecified afterwards.
  virtual at::Tensor apply(const UpdateStep& step) = 0;

  /// The parameters in the module's order.
  const std::vector<UpdatedParameter>& parameters() const { return parameters_; }

 protected:
  const OptimizerConfig& config() const { return config_; }

  MuonFilters& filters() { return filters_; }

  std::vector<at::Tensor> gradients() const;

  /// Updates Muon's filters. `gradientScale` and `moves` are as in MuonStep.
  void updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves) const;

  /// The factor that clips gradients of norm `norm`; 1 where nothing is clipped.
  double clippingScale(double norm) const;

 private:
  OptimizerConfig config_;
  std::vector<UpdatedParameter> parameters_;
  MuonFilters filters_;
};

}  // namespace lambda
