#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/values/architecture/graph.h"

namespace lambda {

/// The name of a batch norm of a map of convolutions.
inline constexpr std::string_view kBatchNorm = "batch norm";

/// One operation of a network's forward pass, with its cost for one image.
struct Operation {
  std::string name;  ///< "queries", "3×3 convolution"
  std::string_view
      equation;  ///< "q_n = W_Q x_n", with indices after "_" and "^", several in braces.
  std::string_view meaning;  ///< One sentence.
  std::string_view axes;     ///< The sizes in `output`: "H×W×C", "k×v".
  std::vector<long long> output;
  std::vector<int> inputs =
      {};                    ///< Operations whose results it takes, by their index, or kImageInput.
  int layer = 0;             ///< An index of NetworkOperations::layers.
  long long parameters = 0;  ///< Learned values; running statistics of norms are not counted.
  /// 2 per multiply-add. Sums over positions of norms, poolings and activations are not counted.
  long long flops = 0;
  long long activationBytes = 0;  ///< Maps kept for the backward pass, float32.

  bool operator==(const Operation&) const = default;
};

/// A layer of the cost table: operations whose costs are shown as one row.
struct OperatedLayer {
  std::string name;  ///< "stage2.block1.mixer": the prefix of the parameters' names.
  std::string kind;  ///< "linear", "squeeze-excitation", or the kind of its mixer.
  MapShape output;   ///< After any pooling that belongs to the layer.
  int stage = -1;    ///< Index from 0; -1 for the stem and the head.
  int block = -1;    ///< Index from 0 within the stage.

  bool operator==(const OperatedLayer&) const = default;
};

/// The arithmetic of a network, from its description alone.
struct NetworkOperations {
  std::vector<OperatedLayer> layers;
  std::vector<Operation>
      operations;  ///< In the order of the computation; the last gives the logits.
};

/// All operations of a network. Counts are capped at 2^53.
NetworkOperations operationsOf(const Architecture& architecture);
NetworkOperations operationsOf(const NetworkGraph& graph);

/// The operations of one block. Their inputs are indices among them, or kImageInput for the block's
/// input.
std::vector<Operation> operationsOfBlock(const NetworkOperations& network, int stage, int block);

}  // namespace lambda
