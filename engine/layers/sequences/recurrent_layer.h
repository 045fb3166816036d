#pragma once

#include <vector>

#include <ATen/ATen.h>

namespace lambda {

/// What a layer keeps of the tokens that it has read. Empty before a first one.
using LayerState = std::vector<at::Tensor>;

/// A causal layer that can read sequences in pieces.
class RecurrentLayer {
 public:
  virtual ~RecurrentLayer() = default;

  /// The output [b, d, 1, m] for the next m >= 1 tokens x [b, c, 1, m] of sequences. `state` is
  /// that before them, and becomes that after them. Up to the length for which the layer was made,
  /// pieces give what forward() gives for the whole, but for rounding. Beyond it the state grows no
  /// more. Without gradients.
  virtual at::Tensor step(const at::Tensor& x, LayerState& state) = 0;
};

}  // namespace lambda
