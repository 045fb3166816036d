#include "engine/training/update/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <ATen/ATen.h>

#include "engine/layers/element_of.h"
#include "engine/layers/roled_module.h"
#include "engine/layers/torch_threads.h"
#include "engine/training/update/aten_update.h"
#include "engine/training/update/dense_values.h"
#include "engine/training/update/weight_average.h"

namespace lambda {

namespace {

float* dataOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

Bfloat16* bitsOf(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<Bfloat16*>(tensor.mutable_data_ptr()) : nullptr;
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

Optimizer::Optimizer(const OptimizerConfig& config,
                     const torch::nn::Module& module,
                     const CudaKernels* kernels,
                     Bfloat16Weights* copies)
    : config_(config), kernels_(kernels), copies_(copies), filters_(config) {
  const bool adaptive = !hasMomentum(config.kind);
  const std::vector<ParameterRole> roles = rolesOf(module);
  for (const auto& item : module.named_parameters()) {
    const ParameterRole role = roles[slots_.size()];
    Slot slot;
    slot.name = item.key();
    slot.parameter = item.value();
    if (copies != nullptr) slot.copy = copies->copyOf(slot.parameter);
    slot.rateFactor = factorOf(config.rateFactors, role);
    slot.weightDecay = weightDecayOf(config, role);
    slot.orthogonalized = config.kind == OptimizerKind::muon && role == ParameterRole::filter;
    slot.first = at::zeros_like(slot.parameter.detach());
    if (adaptive) {
      slot.second = at::zeros_like(slot.parameter.detach());
      // ATen counts on the device. For the kernels the host does, which reads no count back.
      const at::Device place = kernels == nullptr ? slot.parameter.device() : at::Device(at::kCPU);
      slot.steps = at::zeros({}, at::dtype(at::kFloat).device(place));
    }
    if (slot.orthogonalized) filters_.add(slot.parameter, slot.first);
    slots_.push_back(std::move(slot));
  }
  if (!filters_.areNone())
    lossOrNan_ = at::empty({}, slots_.front().first.options().dtype(at::kFloat));
}

void Optimizer::zeroGrad() {
  for (Slot& slot : slots_) {
    slot.parameter.mutable_grad().reset();
    if (slot.copy.defined()) slot.copy.mutable_grad().reset();
  }
}

at::Tensor Optimizer::gradientOf(const Slot& slot) {
  const bool isOfCopy = slot.copy.defined() && slot.copy.grad().defined();
  return isOfCopy ? slot.copy.grad() : slot.parameter.grad();
}

at::Tensor Optimizer::gradientNorm() const {
  std::vector<at::Tensor> gradients;
  bool areDense = fusesUpdate;
  for (const Slot& slot : slots_) {
    const at::Tensor gradient = gradientOf(slot);
    if (!gradient.defined()) continue;
    gradients.push_back(gradient);
    areDense = areDense && gradient.is_cpu() && isDense(gradient);
  }
  if (gradients.empty()) return at::zeros({}, at::kDouble);
  if (!areDense) {
    // A norm in bfloat16 would have eight bits.
    for (at::Tensor& gradient : gradients) {
      if (gradient.scalar_type() == at::kBFloat16) gradient = gradient.to(at::kFloat);
    }
    return at::stack(at::_foreach_norm(gradients)).norm();
  }
  std::vector<SummedValues> values;
  for (const at::Tensor& gradient : gradients) {
    values.push_back({gradient.const_data_ptr(), elementOf(gradient), gradient.numel()});
  }
  return at::scalar_tensor(normOf(values, onTorchThreads), at::kDouble);
}

void Optimizer::step(const UpdateStep& update) {
  const double norm = update.gradientNorm;
  const bool clips = config_.gradientClip > 0 && norm > config_.gradientClip && std::isfinite(norm);
  const double gradientScale = clips ? config_.gradientClip / norm : 1;
  filters_.sendRate(update.learningRate);
  updateFilters(clips ? at::scalar_tensor(gradientScale) : at::Tensor(), {});
  if (canFuse(update.average) && areOnCpu()) {
    WeightsInMemory weights = weightsInMemory(update.average);
    countStep(weights);
    UpdateRates rates = ratesOf(update);
    rates.gradientScale = gradientScale;
    updateWeights(rates, weights.tensors, onTorchThreads);
  } else {
    updateOthersByAten(update.learningRate, gradientScale);
    if (update.average != nullptr) update.average->update(update.step);
  }
  letCopiesFollow();
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
  if (filters_.areNone()) return deviceUpdateOf(weights).queue(constantRates(), loss);
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
  letCopiesFollow();
  return norm;
}

void Optimizer::sendStep(WeightsInMemory& weights, const UpdateStep& update) {
  countStep(weights);
  filters_.sendRate(update.learningRate);
  deviceUpdateOf(weights).send(ratesOf(update), weights.tensors);
}

DeviceUpdate& Optimizer::deviceUpdateOf(const WeightsInMemory& weights) {
  if (!deviceUpdate_ || !deviceUpdate_->fits(weights.tensors)) {
    const double clip = filters_.areNone() ? config_.gradientClip : 0;
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
        !fits(slot.second, slot.parameter) || !fits(slot.copy, slot.parameter)) {
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
  // Which queueUpdate() does by itself, where rounding would lose bits.
  const bool areScaled = !filters_.areNone() && config_.gradientClip > 0;
  for (const Slot& slot : slots_) {
    UpdatedWeights weights{.size = slot.parameter.numel(),
                           .weights = dataOf(slot.parameter),
                           .rounded = bitsOf(slot.copy),
                           .first = dataOf(slot.first),
                           .second = dataOf(slot.second),
                           .rateFactor = slot.rateFactor,
                           .weightDecay = slot.weightDecay};
    at::Tensor gradient = gradientOf(slot);
    if (gradient.defined() && !slot.orthogonalized) {
      const bool isRounded = gradient.scalar_type() == at::kBFloat16;
      if (!fits(gradient, slot.parameter) || (areScaled && isRounded)) {
        gradient = at::empty_like(slot.parameter).copy_(gradient);
      }
      weights.gradient = gradient.const_data_ptr();
      weights.gradientElement = elementOf(gradient);
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

void Optimizer::updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves) {
  std::vector<at::Tensor> gradients;
  for (const Slot& slot : slots_) {
    if (slot.orthogonalized) gradients.push_back(gradientOf(slot));
  }
  filters_.update(gradients, gradientScale, moves);
}

void Optimizer::updateOthersByAten(double learningRate, double gradientScale) {
  std::map<std::pair<double, double>, UpdatedGroup> groups;
  for (const Slot& slot : slots_) {
    const at::Tensor gradient = gradientOf(slot);
    if (!gradient.defined() || slot.orthogonalized) continue;
    UpdatedGroup& group = groups[{slot.rateFactor, slot.weightDecay}];
    group.learningRate = learningRate * slot.rateFactor;
    group.weightDecay = slot.weightDecay;
    group.parameters.push_back(slot.parameter.detach());
    group.gradients.push_back(gradient.to(slot.parameter.scalar_type()));
    group.firsts.push_back(slot.first);
    if (!slot.second.defined()) continue;
    group.seconds.push_back(slot.second);
    group.steps.push_back(slot.steps);
  }
  for (auto& [rates, group] : groups) {
    if (gradientScale != 1) at::_foreach_mul_(group.gradients, gradientScale);
    updateByAten(config_, std::move(group));
  }
}

void Optimizer::letCopiesFollow() {
  if (copies_ != nullptr) copies_->follow();
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
