#include "engine/training/update/backends/update_operands.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/layers/element_of.h"
#include "engine/training/update/backends/dense_values.h"
#include "engine/training/update/backends/update_rules.h"
#include "engine/training/update/weight_average.h"

namespace lambda {

namespace {

float* dataOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

void requireFit(const AveragedTensor& each, const at::Tensor& weights) {
  TORCH_CHECK(isDenseFloat(weights) && matchesLayout(each.average, weights),
              "optimizer: expected the average of ",
              each.name,
              " in float32 and in the memory order of its weights");
}

void addAverages(const std::vector<UpdatedParameter>& parameters,
                 WeightAverage& average,
                 std::vector<UpdatedWeights>& tensors) {
  const std::vector<AveragedTensor>& averaged = average.tensors();
  for (std::size_t i = 0; i < averaged.size(); ++i) {
    const AveragedTensor& each = averaged[i];
    if (i < parameters.size()) {
      TORCH_CHECK(each.live.is_same(parameters[i].parameter),
                  "optimizer: the average of ",
                  each.name,
                  " is in the place of ",
                  parameters[i].name);
      requireFit(each, parameters[i].master);
      tensors[i].average = dataOf(each.average);
    } else if (each.isMean()) {
      requireFit(each, each.live);
      tensors.push_back({.size = each.live.numel(),
                         .weights = dataOf(each.live),
                         .average = dataOf(each.average)});
    } else {
      each.average.copy_(each.live);
    }
  }
}

}  // namespace

bool kernelsCanUpdate(const std::vector<UpdatedParameter>& parameters) {
  return std::ranges::all_of(parameters, [](const UpdatedParameter& each) {
    return isDenseFloat(each.master) && matchesLayout(each.firstMoment, each.master) &&
           matchesLayout(each.secondMoment, each.master) &&
           matchesLayout(each.parameter, each.master);
  });
}

UpdateOperands gatherOperands(const std::vector<UpdatedParameter>& parameters,
                              WeightAverage* average,
                              bool inFloat32) {
  UpdateOperands operands;
  for (const UpdatedParameter& each : parameters) {
    UpdatedWeights weights{.size = each.master.numel(),
                           .weights = dataOf(each.master),
                           .firstMoment = dataOf(each.firstMoment),
                           .secondMoment = dataOf(each.secondMoment),
                           .rateFactor = each.rateFactor,
                           .weightDecay = each.weightDecay};
    if (each.isRounded())
      weights.rounded = static_cast<Bfloat16*>(each.parameter.mutable_data_ptr());
    at::Tensor gradient = each.gradient();
    if (gradient.defined() && !each.orthogonalized) {
      const bool isRounded = gradient.scalar_type() == at::kBFloat16;
      if (!matchesLayout(gradient, each.master) || (inFloat32 && isRounded)) {
        gradient = at::empty_like(each.master).copy_(gradient);
      }
      weights.gradient = gradient.const_data_ptr();
      weights.gradientElement = elementOf(gradient);
      operands.gradients.push_back(gradient);
    }
    operands.tensors.push_back(weights);
  }
  if (average != nullptr) addAverages(parameters, *average, operands.tensors);
  return operands;
}

void countUpdate(const std::vector<UpdatedParameter>& parameters, UpdateOperands& operands) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    UpdatedWeights& tensor = operands.tensors[i];
    if (tensor.gradient == nullptr || !parameters[i].steps.defined()) continue;
    tensor.steps = static_cast<double>(++*dataOf(parameters[i].steps));
  }
}

UpdateRates ratesOf(const OptimizerKind& kind, const UpdateStep& step) {
  UpdateRates rates = constantRatesOf(kind);
  rates.learningRate = step.learningRate;
  if (step.average != nullptr) rates.averageShare = 1 - step.average->decayAt(step.step);
  return rates;
}

}  // namespace lambda
