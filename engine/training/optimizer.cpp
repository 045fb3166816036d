#include "engine/training/optimizer.h"

#include <cmath>

#include <ATen/ATen.h>

namespace lambda {

bool decaysByDefault(const std::string& name, const at::Tensor& parameter) {
  const bool isEmbedding = name.ends_with(".table");
  return parameter.dim() > 1 && !isEmbedding;
}

Optimizer::Optimizer(const OptimizerConfig& config, const torch::nn::Module& module)
    : config_(config) {
  const bool adaptive = config.kind != OptimizerKind::sgd;
  for (const auto& item : module.named_parameters()) {
    Slot slot;
    slot.name = item.key();
    slot.parameter = item.value();
    slot.decays = config.decayAllParameters || decaysByDefault(slot.name, slot.parameter);
    slot.first = at::zeros_like(slot.parameter.detach());
    if (adaptive) {
      slot.second = at::zeros_like(slot.parameter.detach());
      slot.steps = at::zeros({}, at::dtype(at::kFloat).device(slot.parameter.device()));
    }
    slots_.push_back(std::move(slot));
  }
}

void Optimizer::zeroGrad() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

double Optimizer::clipGradients() {
  std::vector<at::Tensor> gradients;
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  }
  if (gradients.empty()) return 0;
  const at::Tensor norms = at::stack(at::_foreach_norm(gradients));
  const double norm = norms.norm().item<double>();
  if (config_.gradientClip > 0 && norm > config_.gradientClip && std::isfinite(norm)) {
    at::_foreach_mul_(gradients, config_.gradientClip / norm);
  }
  return norm;
}

void Optimizer::step(double learningRate) {
  stepGroup(true, learningRate);
  stepGroup(false, learningRate);
}

void Optimizer::stepGroup(bool decays, double learningRate) {
  std::vector<at::Tensor> parameters, gradients, firsts, seconds, steps;
  for (const Slot& slot : slots_) {
    if (slot.decays != decays || !slot.parameter.grad().defined()) continue;
    parameters.push_back(slot.parameter.detach());
    gradients.push_back(slot.parameter.grad());
    firsts.push_back(slot.first);
    if (slot.second.defined()) {
      seconds.push_back(slot.second);
      steps.push_back(slot.steps);
    }
  }
  if (parameters.empty()) return;
  const double weightDecay = decays ? config_.weightDecay : 0;
  switch (config_.kind) {
    case OptimizerKind::sgd:
      if (config_.momentum == 0) firsts.clear();  // The kernel refuses buffers it would not use.
      at::_fused_sgd_(parameters,
                      gradients,
                      firsts,
                      weightDecay,
                      config_.momentum,
                      learningRate,
                      /*dampening=*/0,
                      config_.nesterov,
                      /*maximize=*/false,
                      /*is_first_step=*/false);
      return;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      at::_foreach_add_(steps, 1);
      if (config_.kind == OptimizerKind::adam) {
        at::_fused_adam_(parameters,
                         gradients,
                         firsts,
                         seconds,
                         {},
                         steps,
                         learningRate,
                         config_.beta1,
                         config_.beta2,
                         weightDecay,
                         config_.epsilon,
                         /*amsgrad=*/false,
                         /*maximize=*/false);
      } else {
        at::_fused_adamw_(parameters,
                          gradients,
                          firsts,
                          seconds,
                          {},
                          steps,
                          learningRate,
                          config_.beta1,
                          config_.beta2,
                          weightDecay,
                          config_.epsilon,
                          /*amsgrad=*/false,
                          /*maximize=*/false);
      }
      return;
  }
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> state;
  for (const Slot& slot : slots_) {
    if (config_.kind == OptimizerKind::sgd) {
      state.push_back({slot.name + ".momentum", slot.first});
    } else {
      state.push_back({slot.name + ".mean", slot.first});
      state.push_back({slot.name + ".variance", slot.second});
      state.push_back({slot.name + ".step", slot.steps});
    }
  }
  return state;
}

}  // namespace lambda
