#include "widgets/network/parts/part_costs.h"

#include <algorithm>

#include "engine/values/architecture/graph.h"
#include "engine/values/config/range_check.h"

namespace lambda {

namespace {

void add(PartCost& sum, const LayerCost& layer) {
  sum.parameters += layer.parameters;
  sum.flops += layer.flops;
  sum.activationBytes += layer.activationBytes;
}

}  // namespace

NetworkCosts costsOf(const Architecture& architecture) {
  Architecture inRange = architecture;
  clampToRanges(inRange);
  const NetworkGraph graph = graphOf(inRange);
  NetworkCosts costs;
  costs.operations = operationsOf(graph);
  costs.total = costOf(costs.operations);

  costs.parts[kInputPart].output = inRange.input;
  costs.parts[kStemPart].output = graph.stemOutput;
  costs.parts[kHeadPart].output = {inRange.outputs, 1, 1};
  for (int stage = 0; stage < std::ssize(inRange.stages); ++stage) {
    costs.parts[stagePart(stage)].output = graph.stageOutputs[static_cast<std::size_t>(stage)];
  }
  for (const Node& node : graph.nodes) {
    if (node.stage >= 0) costs.parts[blockPart(node.stage, node.block)].output = node.output;
  }
  for (std::size_t i = 0; i < costs.total.layers.size(); ++i) {
    const LayerCost& layer = costs.total.layers[i];
    const OperatedLayer& place = costs.operations.layers[i];
    if (place.stage < 0) {
      add(costs.parts[layer.name == "head" ? kHeadPart : kStemPart], layer);
    } else {
      add(costs.parts[blockPart(place.stage, place.block)], layer);
      add(costs.parts[stagePart(place.stage)], layer);
    }
  }
  for (const auto& [part, cost] : costs.parts) {
    if (part.kind == PartKind::stage) continue;
    costs.largest.parameters = std::max(costs.largest.parameters, cost.parameters);
    costs.largest.flops = std::max(costs.largest.flops, cost.flops);
    costs.largest.activationBytes = std::max(costs.largest.activationBytes, cost.activationBytes);
  }
  return costs;
}

}  // namespace lambda
