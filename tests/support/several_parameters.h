#pragma once

#include <memory>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>

#include <QTest>

#include "engine/layers/roled_module.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// A module with one parameter, "weight".
class OneParameter : public RoledModule {
 public:
  explicit OneParameter(at::Tensor value, ParameterRole role = ParameterRole::head)
      : weight(registerParameter("weight", role, std::move(value))) {}

  at::Tensor weight;
};

/// A module with parameters of all roles, in several shapes and memory formats, one of them without
/// a gradient, and with buffers.
class SeveralParameters : public RoledModule {
 public:
  SeveralParameters() {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(7);
    const auto add = [&](const char* name, ParameterRole role, at::Tensor value) {
      registerParameter(name, role, value.normal_(0, 1, generator));
    };
    constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;
    add("filter", ParameterRole::input, at::empty({7, 5, 3, 3}, kChannelsLast));
    add("projection", ParameterRole::projection, at::empty({64, 33, 1, 1}, kChannelsLast));
    add("bias", ParameterRole::bias, at::empty({17}));
    add("scale", ParameterRole::norm, at::empty({33}));
    add("one", ParameterRole::head, at::empty({1, 1}));
    add("table", ParameterRole::embedding, at::empty({225, 1, 16}));
    add("large", ParameterRole::head, at::empty({300, 301}));
    add("unused", ParameterRole::projection, at::empty({12, 3}));
    register_module("conv",
                    std::make_shared<OneParameter>(
                        at::empty({6, 5, 3, 3}, kChannelsLast).normal_(0, 1, generator),
                        ParameterRole::filter));
    register_buffer("running", at::ones({17}));
    register_buffer("count", at::zeros({}, at::kLong));
  }

  /// Sets random gradients in the memory format of the parameters, as backward passes do, and adds
  /// step + 1 to the buffers. The values depend on the step and are the same on any device.
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
};

/// Adds a row for each update rule, with clipping and average and without; the columns are `config`
/// and `averages`.
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
  config.kind = Sgd{.nesterov = false};
  add("momentum", config);
  config.kind = Sgd{.momentum = 0, .nesterov = false};
  add("sgd", config);
  config.kind = Adam{};
  add("adam", config);
  config.kind = AdamW{};
  add("adamw", config);
  config.decayAllParameters = true;
  add("adamw, all decayed", config);
  config.decayAllParameters = false;
  config.kind = Lion{};
  add("lion", config);
  config.kind = Muon{};
  add("muon", config);
  config.rateFactors = {.input = 0.5, .filter = 2, .norm = 0.25, .embedding = 0, .head = 3};
  config.decayFactors = {.input = 2, .projection = 0, .norm = 1, .embedding = 0.5};
  add("muon, by roles", config);
  config.kind = Sgd{};
  add("nesterov, by roles", config);
  config.kind = Adam{};
  add("adam, by roles", config);
  config.kind = AdamW{};
  add("adamw, by roles", config);
  config.kind = Lion{};
  add("lion, by roles", config);
}

}  // namespace lambda
