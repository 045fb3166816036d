#pragma once

#include <string>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/architecture/operations.h"
#include "engine/values/config/run_config.h"

namespace lambda {

struct LayerCost {
  std::string name;          ///< "stage2.block1.mixer": the prefix of the parameters' names.
  std::string kind;          ///< "linear", "squeeze-excitation", or the kind of its mixer.
  MapShape output;           ///< After any pooling that belongs to the layer.
  long long parameters = 0;  ///< Learned values; running statistics of norms are not counted.
  /// Forward pass of one image, 2 per multiply-add. Convolutions and linear maps count as direct
  /// sums; of lambdas, sums over the context that a query sees, as the paper writes them.
  long long flops = 0;
  long long activationBytes = 0;  ///< Maps kept for the backward pass, one image, float32.

  bool operator==(const LayerCost&) const = default;
};

struct NetworkCost {
  std::vector<LayerCost> layers;
  long long parameters = 0;
  long long flops = 0;
  long long activationBytes = 0;
};

/// Cost of a network from its description alone, in network order: the sums of operationsOf() over
/// each layer. Counts are capped at 2^53.
NetworkCost costOf(const Architecture& architecture);
NetworkCost costOf(const NetworkOperations& network);

/// Estimated bytes of training at a batch size in float32: parameters, gradients, optimiser state
/// of `stateCopies` values per parameter, and activations, without allocator overhead.
long long trainingBytes(const NetworkCost& cost, int batchSize, int stateCopies);

/// The same with the batch size of a recipe and the state that its optimiser keeps.
long long trainingBytes(const NetworkCost& cost, const Recipe& recipe);

}  // namespace lambda
