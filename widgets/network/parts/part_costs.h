#pragma once

#include <map>

#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/operations.h"
#include "widgets/network/parts/network_parts.h"

namespace lambda {

struct PartCost {
  MapShape output;  ///< The map that leaves the part.
  long long parameters = 0;
  long long flops = 0;            ///< Forward, one image, 2 per multiply-add.
  long long activationBytes = 0;  ///< Kept for the backward pass, one image, float32.
};

/// The cost of a network, part by part.
struct NetworkCosts {
  std::map<PartId, PartCost> parts;  ///< Every part; a stage has the sums of its blocks.
  NetworkCost total;
  NetworkOperations operations;
  PartCost largest;  ///< The maximum of each number among stem, blocks and head.
};

/// Sums costOf() over the layers of each part. Numbers outside their field's range count as the
/// nearest value within it.
NetworkCosts costsOf(const Architecture& architecture);

}  // namespace lambda
