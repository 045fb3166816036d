#include "engine/values/architecture/cost.h"

#include "engine/values/architecture/operation_list.h"

namespace lambda {

namespace {

void addTo(long long& total, long long count) {
  total = countOf(static_cast<double>(total) + static_cast<double>(count));
}

}  // namespace

NetworkCost costOf(const Architecture& architecture) {
  return costOf(operationsOf(architecture));
}

NetworkCost costOf(const NetworkOperations& network) {
  NetworkCost cost;
  for (const OperatedLayer& layer : network.layers) {
    cost.layers.push_back({layer.name, layer.kind, layer.output});
  }
  for (const Operation& operation : network.operations) {
    LayerCost& layer = cost.layers[static_cast<std::size_t>(operation.layer)];
    addTo(layer.parameters, operation.parameters);
    addTo(layer.flops, operation.flops);
    addTo(layer.activationBytes, operation.activationBytes);
  }
  for (const LayerCost& layer : cost.layers) {
    addTo(cost.parameters, layer.parameters);
    addTo(cost.flops, layer.flops);
    addTo(cost.activationBytes, layer.activationBytes);
  }
  return cost;
}

long long trainingBytes(const NetworkCost& cost, int batchSize, int stateCopies) {
  const double values = static_cast<double>(cost.parameters) * (2 + stateCopies);
  return countOf(values * kFloatBytes + static_cast<double>(cost.activationBytes) * batchSize);
}

long long trainingBytes(const NetworkCost& cost, const Recipe& recipe) {
  return trainingBytes(cost, recipe.batchSize, traitsOf(recipe.optimizer.kind).stateCopies);
}

}  // namespace lambda
