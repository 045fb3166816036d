#pragma once

#include "engine/layers/roled_module.h"

namespace lambda {

/// A norm over the channels of each position, with a learnt scale and shift (Ba et al., 2016,
/// arXiv:1607.06450). Input and output [b, channels, H, W].
class LayerNormImpl : public RoledModule {
 public:
  static constexpr double kEpsilon = 1e-5;  ///< Added to the variance.

  explicit LayerNormImpl(std::int64_t channels);

  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight;  ///< [channels], 1 at the start.
  at::Tensor bias;    ///< [channels], 0 at the start.
};

TORCH_MODULE(LayerNorm);

}  // namespace lambda
