#include "widgets/network/parts/part_costs.h"

#include <algorithm>
#include <string_view>

#include "engine/values/architecture/plan.h"
#include "engine/values/config/range_check.h"

namespace lambda {

namespace {

void add(PartCost& sum, const LayerCost& layer) {
  sum.parameters += layer.parameters;
  sum.flops += layer.flops;
  sum.activationBytes += layer.activationBytes;
}

bool isLayerOf(const LayerCost& layer, std::string_view block) {
  return layer.name.size() > block.size() && layer.name.starts_with(block) &&
         layer.name[block.size()] == '.';
}

}  // namespace

NetworkCosts costsOf(const Architecture& architecture) {
  Architecture inRange = architecture;
  clampToRanges(inRange);
  const NetworkPlan plan = planOf(inRange);
  NetworkCosts costs;
  costs.operations = operationsOf(inRange);
  costs.total = costOf(costs.operations);

  costs.parts[kInputPart].output = inRange.input;
  costs.parts[kStemPart].output = plan.stemOutput;
  costs.parts[kHeadPart].output = {inRange.classes, 1, 1};
  MapShape map = plan.stemOutput;
  std::size_t next = 0;
  for (int stage = 0; stage < std::ssize(inRange.stages); ++stage) {
    for (; next < plan.blocks.size() && plan.blocks[next].stage == stage; ++next) {
      map = plan.blocks[next].output;
      costs.parts[blockPart(stage, plan.blocks[next].block)].output = map;
    }
    costs.parts[stagePart(stage)].output = map;
  }

  // The layers are in the network's order: stem, blocks, head.
  std::size_t block = 0;
  for (const LayerCost& layer : costs.total.layers) {
    while (block < plan.blocks.size() && block + 1 < plan.blocks.size() &&
           isLayerOf(layer, plan.blocks[block + 1].name)) {
      ++block;
    }
    if (layer.name == "head") {
      add(costs.parts[kHeadPart], layer);
    } else if (!plan.blocks.empty() && isLayerOf(layer, plan.blocks[block].name)) {
      add(costs.parts[blockPart(plan.blocks[block].stage, plan.blocks[block].block)], layer);
      add(costs.parts[stagePart(plan.blocks[block].stage)], layer);
    } else {
      add(costs.parts[kStemPart], layer);
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
