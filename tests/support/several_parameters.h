#pragma once

#include <memory>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/module.h>

#include <QTest>

#include "engine/values/run_config.h"

namespace lambda {

/// Parameters of several shapes and orders in memory, one of them without a gradient, and buffers.
class SeveralParameters : public torch::nn::Module {
 public:
  SeveralParameters() {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(7);
    const auto add = [&](const char* name, at::Tensor value) {
      register_parameter(name, value.normal_(0, 1, generator));
    };
    add("filter", at::empty({7, 5, 3, 3}, at::MemoryFormat::ChannelsLast));
    add("projection", at::empty({64, 33, 1, 1}, at::MemoryFormat::ChannelsLast));
    add("bias", at::empty({17}));
    add("one", at::empty({1, 1}));
    add("table", at::empty({225, 1, 16}));
    add("large", at::empty({300, 301}));
    add("unused", at::empty({12, 3}));
    const auto unit = register_module("conv", std::make_shared<Unit>());
    unit->register_parameter(
        "weight", at::empty({6, 5, 3, 3}, at::MemoryFormat::ChannelsLast).normal_(0, 1, generator));
    register_buffer("running", at::ones({17}));
    register_buffer("count", at::zeros({}, at::kLong));
  }

  /// Those of a step, in the parameters' order as backward passes leave them. The same values on
  /// any device.
  void setGradients(int step) {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(step);
    for (auto& item : named_parameters()) {
      if (item.key() == "unused") continue;
      const at::Tensor& weights = item.value();
      const at::Tensor gradient = at::empty_like(weights.detach(), at::kCPU);
      weights.mutable_grad() = gradient.normal_(0, 1, generator).to(weights.device());
    }
    const at::NoGradGuard noGrad;
    for (auto& item : named_buffers()) item.value().add_(step + 1);
  }

 private:
  class Unit : public torch::nn::Module {};
};

/// A row for each rule of update, with clipping and average and without: columns `config` and
/// `averages`.
inline void addUpdateRows() {
  QTest::addColumn<OptimizerConfig>("config");
  QTest::addColumn<bool>("averages");
  const auto add = [](const char* name, const OptimizerConfig& config) {
    for (const double clip : {0.0, 100.0}) {
      for (const bool averages : {false, true}) {
        OptimizerConfig one = config;
        one.gradientClip = clip;
        QTest::addRow("%s%s%s", name, clip > 0 ? ", clipped" : "", averages ? ", averaged" : "")
            << one << averages;
      }
    }
  };
  OptimizerConfig config;
  config.weightDecay = 0.05;
  add("nesterov", config);
  config.nesterov = false;
  add("momentum", config);
  config.momentum = 0;
  add("sgd", config);
  config.kind = OptimizerKind::adam;
  add("adam", config);
  config.kind = OptimizerKind::adamw;
  add("adamw", config);
  config.decayAllParameters = true;
  add("adamw, all decayed", config);
  config.decayAllParameters = false;
  config.kind = OptimizerKind::muon;
  config.momentum = 0.9;
  config.nesterov = true;
  add("muon", config);
}

}  // namespace lambda
