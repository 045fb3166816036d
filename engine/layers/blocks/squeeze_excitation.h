#pragma once

#include "engine/layers/roled_module.h"

namespace lambda {

/// Channel attention: every channel is scaled by a weight made from the means of all channels
/// (Hu et al., 2018; the paper's appendix C.4 reads it as a diagonal lambda shared by all
/// positions); `ratio`: the means are squeezed to 1 / ratio of the channels. Input and output [b,
/// channels, H, W].
class SqueezeExcitationImpl : public RoledModule {
 public:
  SqueezeExcitationImpl(std::int64_t channels, int ratio);

  at::Tensor forward(const at::Tensor& x);

  torch::nn::Conv2d squeeze;
  torch::nn::Conv2d excite;
};

TORCH_MODULE(SqueezeExcitation);

}  // namespace lambda
