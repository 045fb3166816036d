#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/update/muon_filters.h"
#include "engine/training/update/updated_parameter.h"
#include "engine/values/run_config.h"

namespace lambda {

class WeightAverage;

/// What an update needs beside the gradients.
struct UpdateStep {
  double learningRate = 0;
  at::Tensor loss = {};  ///< A float32 scalar where the weights are; undefined = finite.
  WeightAverage* average = nullptr;  ///< Takes in the new weights; null = none is kept.
  std::int64_t step = 1;             ///< For the average: of the run, counted from 1.
};

/// A back end of the optimiser: SGD with Nesterov momentum, Adam, AdamW and Muon for all parameters
/// of a module together. Muon's filters are updated one by one, before the other weights, by the
/// same operations in each back end. Lives on the training thread.
class WeightUpdate {
 public:
  WeightUpdate(const OptimizerConfig& config, std::vector<UpdatedParameter> parameters);
  virtual ~WeightUpdate() = default;

  WeightUpdate(const WeightUpdate&) = delete;
  WeightUpdate& operator=(const WeightUpdate&) = delete;

  /// One update from the gradients, scaled down where their 2-norm together is above the recipe's
  /// `gradientClip`; parameters without a gradient stay as they are. Where norm or loss is not
  /// finite, weights, moments and averages stay. Returns the norm before clipping, a float64
  /// scalar. What the gradients are afterwards is not said.
  virtual at::Tensor apply(const UpdateStep& step) = 0;

  /// In the module's order.
  const std::vector<UpdatedParameter>& parameters() const { return parameters_; }

 protected:
  const OptimizerConfig& config() const { return config_; }

  MuonFilters& filters() { return filters_; }

  std::vector<at::Tensor> gradients() const;

  /// Moves Muon's filters. Scale and condition as in MuonStep.
  void updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves) const;

  /// What the gradients are multiplied by where their norm is `norm`.
  double clippingScale(double norm) const;

 private:
  OptimizerConfig config_;
  std::vector<UpdatedParameter> parameters_;
  MuonFilters filters_;
};

}  // namespace lambda
