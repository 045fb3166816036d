#include "engine/training/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "engine/kernels/weight_update_kernel.h"
#include "engine/layers/torch_threads.h"
#include "engine/training/dense_values.h"
#include "engine/training/muon.h"
#include "engine/training/sent_bytes.h"
#include "engine/training/weight_average.h"

namespace lambda {

namespace {

float* dataOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

UpdateRule ruleOf(const OptimizerConfig& config) {
  switch (config.kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::muon:
      if (config.momentum == 0) return UpdateRule::sgd;
      return config.nesterov ? UpdateRule::nesterov : UpdateRule::momentum;
    case OptimizerKind::adam:
      return UpdateRule::adam;
    case OptimizerKind::adamw:
      return UpdateRule::adamw;
  }
  TORCH_CHECK(false, "optimizer: unknown kind");
}

}  // namespace

bool decaysByDefault(const std::string& name, const at::Tensor& parameter) {
  const bool isEmbedding = name.ends_with(".table");
  return parameter.dim() > 1 && !isEmbedding;
}

bool isOrthogonalized(const std::string& name, const at::Tensor& parameter) {
  const bool seesImages = name == "stem.conv.weight" || name == "stem.conv1.conv.weight";
  return parameter.dim() == 4 && name.ends_with("conv.weight") && !seesImages;
}

Optimizer::Optimizer(const OptimizerConfig& config,
                     const torch::nn::Module& module,
                     const CudaKernels* kernels)
    : config_(config), kernels_(kernels) {
  const bool adaptive = !hasMomentum(config.kind);
  for (const auto& item : module.named_parameters()) {
    Slot slot;
    slot.name = item.key();
    slot.parameter = item.value();
    slot.decays = config.decayAllParameters || decaysByDefault(slot.name, slot.parameter);
    slot.orthogonalized =
        config.kind == OptimizerKind::muon && isOrthogonalized(slot.name, slot.parameter);
    slot.first = at::zeros_like(slot.parameter.detach());
    if (adaptive) {
      slot.second = at::zeros_like(slot.parameter.detach());
      // ATen counts on the device. For the kernels the host does, which reads no count back.
      const at::Device place = kernels == nullptr ? slot.parameter.device() : at::Device(at::kCPU);
      slot.steps = at::zeros({}, at::dtype(at::kFloat).device(place));
    }
    slots_.push_back(std::move(slot));
  }
  const auto filters = std::ranges::find_if(slots_, &Slot::orthogonalized);
  if (filters != slots_.end()) {
    filterRate_ = at::empty({1}, filters->parameter.options().dtype(at::kFloat));
    lossOrNan_ = at::empty({}, filterRate_.options());
  }
}

void Optimizer::zeroGrad() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

at::Tensor Optimizer::gradientNorm() const {
  std::vector<at::Tensor> gradients;
  bool areDense = fusesUpdate;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    gradients.push_back(slot.parameter.grad());
    areDense = areDense && gradients.back().is_cpu() && isDenseFloat(gradients.back());
  }
  if (gradients.empty()) return at::zeros({}, at::kDouble);
  if (!areDense) return at::stack(at::_foreach_norm(gradients)).norm();
  std::vector<SummedValues> values;
  for (const at::Tensor& gradient : gradients) {
    values.push_back({gradient.const_data_ptr<float>(), gradient.numel()});
  }
  return at::scalar_tensor(normOf(values, onTorchThreads), at::kDouble);
}

void Optimizer::step(const UpdateStep& update) {
  const double norm = update.gradientNorm;
  const bool clips = config_.gradientClip > 0 && norm > config_.gradientClip && std::isfinite(norm);
  const double gradientScale = clips ? config_.gradientClip / norm : 1;
  if (canFuse(update.average) && areOnCpu()) {
    sendFilterRate(update);
    updateFilters(clips ? at::scalar_tensor(gradientScale) : at::Tensor(), {});
    WeightsInMemory weights = weightsInMemory(update.average);
    countStep(weights);
    UpdateRates rates = ratesOf(update);
    rates.gradientScale = gradientScale;
    updateWeights(rates, weights.tensors, onTorchThreads);
    return;
  }
  if (clips) {
    std::vector<at::Tensor> gradients;
    for (const Slot& slot : slots_) {
      if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
    }
    at::_foreach_mul_(gradients, gradientScale);
  }
  sendFilterRate(update);
  updateFilters({}, {});
  stepGroup(true, update.learningRate);
  stepGroup(false, update.learningRate);
  if (update.average != nullptr) update.average->update(update.step);
}

bool Optimizer::stepsOnDevice(const WeightAverage* average) const {
  return kernels_ != nullptr && canFuse(average);
}

at::Tensor Optimizer::stepOnDevice(const UpdateStep& update, const at::Tensor& loss) {
  TORCH_CHECK(stepsOnDevice(update.average), "optimizer: its weights don't fit the CUDA kernels");
  WeightsInMemory weights = weightsInMemory(update.average);
  sendStep(weights, update);
  return queueUpdate(weights, loss);
}

at::Tensor Optimizer::queueUpdate(const WeightsInMemory& weights, const at::Tensor& loss) {
  if (!filterRate_.defined()) return deviceUpdateOf(weights).queue(constantRates(), loss);
  // The kernels see a part of the gradients: what goes by all of them is found here.
  const at::Tensor norm = gradientNorm().to(loss.device(), at::kDouble);
  const at::Tensor moves = norm.isfinite().logical_and(loss.isfinite());
  at::Tensor scale;
  if (config_.gradientClip > 0) {
    scale = (config_.gradientClip / norm).clamp_max(1).to(at::kFloat);
    at::_foreach_mul_(weights.gradients, scale);
  }
  updateFilters(scale, moves);
  lossOrNan_.copy_(at::where(moves, loss, std::numeric_limits<double>::quiet_NaN()));
  deviceUpdateOf(weights).queue(constantRates(), lossOrNan_);
  return norm;
}

void Optimizer::sendStep(WeightsInMemory& weights, const UpdateStep& update) {
  countStep(weights);
  sendFilterRate(update);
  deviceUpdateOf(weights).send(ratesOf(update), weights.tensors);
}

DeviceUpdate& Optimizer::deviceUpdateOf(const WeightsInMemory& weights) {
  if (!deviceUpdate_ || !deviceUpdate_->fits(weights.tensors)) {
    const double clip = filterRate_.defined() ? 0 : config_.gradientClip;
    deviceUpdate_ = std::make_unique<DeviceUpdate>(
        *kernels_, weights.tensors, clip, slots_.front().parameter.device());
  }
  return *deviceUpdate_;
}

bool Optimizer::areOnCpu() const {
  return std::all_of(
      slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.parameter.is_cpu(); });
}

bool Optimizer::canFuse(const WeightAverage* average) const {
  if (!fusesUpdate) return false;
  for (const Slot& slot : slots_) {
    if (!isDenseFloat(slot.parameter) || !fits(slot.first, slot.parameter) ||
        !fits(slot.second, slot.parameter)) {
      return false;
    }
  }
  if (average == nullptr) return true;
  const auto canAverage = [](const AveragedTensor& each) {
    return !each.isMean() || (isDenseFloat(each.live) && fits(each.average, each.live));
  };
  return std::all_of(average->tensors().begin(), average->tensors().end(), canAverage);
}

WeightsInMemory Optimizer::weightsInMemory(WeightAverage* average) {
  WeightsInMemory all;
  for (const Slot& slot : slots_) {
    UpdatedWeights weights{.size = slot.parameter.numel(),
                           .weights = dataOf(slot.parameter),
                           .first = dataOf(slot.first),
                           .second = dataOf(slot.second),
                           .weightDecay = decayOf(slot)};
    at::Tensor gradient = slot.parameter.grad();
    if (gradient.defined() && !slot.orthogonalized) {
      if (!fits(gradient, slot.parameter)) {
        gradient = at::empty_like(slot.parameter).copy_(gradient);
      }
      weights.gradient = dataOf(gradient);
      all.gradients.push_back(gradient);
    }
    all.tensors.push_back(weights);
  }
  if (average != nullptr) addAverages(*average, all.tensors);
  return all;
}

void Optimizer::countStep(WeightsInMemory& weights) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    UpdatedWeights& tensor = weights.tensors[i];
    if (tensor.gradient == nullptr || !slots_[i].steps.defined()) continue;
    tensor.steps = static_cast<double>(++*dataOf(slots_[i].steps));
  }
}

UpdateRates Optimizer::constantRates() const {
  return {.rule = ruleOf(config_),
          .momentum = config_.momentum,
          .beta1 = config_.beta1,
          .beta2 = config_.beta2,
          .epsilon = config_.epsilon};
}

UpdateRates Optimizer::ratesOf(const UpdateStep& update) const {
  UpdateRates rates = constantRates();
  rates.learningRate = update.learningRate;
  if (update.average != nullptr) rates.averageShare = 1 - update.average->decayAt(update.step);
  return rates;
}

void Optimizer::addAverages(WeightAverage& average, std::vector<UpdatedWeights>& tensors) const {
  const std::vector<AveragedTensor>& averaged = average.tensors();
  for (std::size_t i = 0; i < averaged.size(); ++i) {
    const AveragedTensor& each = averaged[i];
    if (i < slots_.size()) {
      TORCH_CHECK(each.live.is_same(slots_[i].parameter),
                  "optimizer: the average of ",
                  each.name,
                  " stands in the place of ",
                  slots_[i].name);
      tensors[i].average = dataOf(each.average);
    } else if (each.isMean()) {
      tensors.push_back({.size = each.live.numel(),
                         .weights = dataOf(each.live),
                         .average = dataOf(each.average)});
    } else {
      each.average.copy_(each.live);
    }
  }
}

void Optimizer::sendFilterRate(const UpdateStep& update) {
  if (!filterRate_.defined()) return;
  // Of both rates the same share of their peaks.
  const double share = config_.learningRate > 0 ? update.learningRate / config_.learningRate : 0;
  const auto rate = static_cast<float>(config_.filterRate * share);
  sendBytes(&rate, sizeof rate, filterRate_.view(at::kByte));
}

void Optimizer::updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves) {
  const MuonStep step{filterRate_, config_.momentum, config_.nesterov, gradientScale, moves};
  for (const Slot& slot : slots_) {
    const at::Tensor gradient = slot.parameter.grad();
    if (!slot.orthogonalized || !gradient.defined()) continue;
    updateByMuon(step, slot.parameter.detach(), gradient, slot.first);
  }
}

void Optimizer::stepGroup(bool decays, double learningRate) {
  std::vector<at::Tensor> parameters, gradients, firsts, seconds, steps;
  for (const Slot& slot : slots_) {
    if (slot.decays != decays || !slot.parameter.grad().defined() || slot.orthogonalized) continue;
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
    case OptimizerKind::muon:
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
      for (at::Tensor& count : steps) count = count.to(parameters.front().device());
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
    if (hasMomentum(config_.kind)) {
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
