#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/kernels/update/reference.h"
#include "engine/layers/roled_module.h"
#include "engine/training/update/muon/muon.h"
#include "engine/training/update/weight_average.h"

namespace lambda {

/// The reference for every back end of the optimiser: clipping, the update rule of each parameter
/// and the average, computed in float64 as the formulas are written.
class ExactOptimizer {
 public:
  /// Starts from the module's present parameters. `averageDecay`: the decay of a WeightAverage;
  /// none = no average.
  ExactOptimizer(const OptimizerConfig& config,
                 const RoledModule& module,
                 std::optional<double> averageDecay)
      : config_(config), averageDecay_(averageDecay) {
    const std::vector<ParameterRole> roles = rolesOf(module);
    for (const auto& item : module.named_parameters()) {
      const at::Tensor weights = exact(item.value());
      weights_.push_back({item.key(),
                          roles[weights_.size()],
                          item.value(),
                          weights,
                          at::zeros_like(weights),
                          at::zeros_like(weights),
                          weights.clone()});
    }
  }

  /// Updates from the gradients of the module's parameters; returns the norm of the gradients.
  double step(double learningRate, int step) {
    double squares = 0;
    for (const Weights& each : weights_) {
      if (each.parameter.grad().defined())
        squares += exact(each.parameter.grad()).square().sum().item<double>();
    }
    const double norm = std::sqrt(squares);
    const bool clips = config_.gradientClip > 0 && norm > config_.gradientClip;
    for (Weights& each : weights_) {
      if (each.parameter.grad().defined())
        move(each, learningRate, clips ? config_.gradientClip / norm : 1, step);
      if (!averageDecay_) continue;
      const double decay = std::min(*averageDecay_, (1.0 + step) / (10.0 + step));
      each.average.mul_(decay).add_(each.weights, 1 - decay);
    }
    return norm;
  }

  /// Compares the module's weights and their average (null = none) with the exact ones. No tensor
  /// may differ by more than `tolerance` times its norm.
  void compare(const WeightAverage* average, double tolerance) const {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const Weights& each = weights_[i];
      compare(each.parameter, each.weights, tolerance, each.name);
      if (average == nullptr) continue;
      compare(average->tensors()[i].average, each.average, tolerance, "average of " + each.name);
    }
  }

 private:
  struct Weights {
    std::string name;
    ParameterRole role;
    at::Tensor parameter;
    at::Tensor weights, firstMoment, secondMoment, average;
  };

  static at::Tensor exact(const at::Tensor& tensor) {
    return tensor.detach().cpu().to(at::kDouble).contiguous().clone();
  }

  static void compare(const at::Tensor& found,
                      const at::Tensor& expected,
                      double tolerance,
                      const std::string& name) {
    const double distance = (exact(found) - expected).norm().item<double>();
    QVERIFY2(distance <= tolerance * expected.norm().item<double>(), name.c_str());
  }

  void move(Weights& each, double learningRate, double gradientScale, int step) const {
    const at::Tensor gradient = exact(each.parameter.grad());
    const auto* muon = std::get_if<Muon>(&config_.kind);
    if (muon && each.role == ParameterRole::filter) {
      const double share = learningRate / config_.learningRate;
      updateByMuon(
          {.rate = at::tensor({muon->muonLearningRate * share * config_.rateFactors.filter}),
           .momentum = muon->momentum,
           .nesterov = muon->nesterov,
           .gradientScale = at::scalar_tensor(gradientScale, at::kDouble)},
          each.weights,
          gradient,
          each.firstMoment);
      return;
    }
    UpdateRates rates =
        std::visit([](const auto& options) { return ratesOf(options); }, config_.kind);
    rates.learningRate = learningRate;
    rates.gradientScale = gradientScale;
    const double rateFactor = factorOf(config_.rateFactors, each.role);
    const double decay = weightDecayOf(config_, each.role);
    const auto* g = gradient.const_data_ptr<double>();
    auto* const w = each.weights.mutable_data_ptr<double>();
    auto* const firstMoment = each.firstMoment.mutable_data_ptr<double>();
    auto* const secondMoment = each.secondMoment.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < gradient.numel(); ++i) {
      updateExactly(rates, g[i], rateFactor, decay, step, w[i], firstMoment[i], secondMoment[i]);
    }
  }

  /// SGD updates all parameters by it, and Muon those that are not filters.
  template <class Options>

  requires requires(const Options& options) { options.momentum; }

  static UpdateRates ratesOf(const Options& options) {
    UpdateRule rule = options.nesterov ? UpdateRule::nesterov : UpdateRule::momentum;
    if (options.momentum == 0) rule = UpdateRule::sgd;
    return {.rule = rule, .momentum = options.momentum};
  }

  static UpdateRates ratesOf(const Adam& adam) { return adamRates(adam, UpdateRule::adam); }

  static UpdateRates ratesOf(const AdamW& adamw) { return adamRates(adamw, UpdateRule::adamw); }

  static UpdateRates ratesOf(const Lion& lion) {
    return {.rule = UpdateRule::lion, .beta1 = lion.beta1, .beta2 = lion.beta2};
  }

  static UpdateRates adamRates(const Adam& adam, UpdateRule rule) {
    return {.rule = rule, .beta1 = adam.beta1, .beta2 = adam.beta2, .epsilon = adam.epsilon};
  }

  OptimizerConfig config_;
  std::optional<double> averageDecay_;
  std::vector<Weights> weights_;
};

}  // namespace lambda
