#pragma once

#include "engine/layers/attention/attention_terms.h"
#include "engine/layers/blocks/squeeze_excitation.h"

namespace lambda {

/// Channel attention as a mixer: squeeze-and-excitation, then a 1x1 convolution where the depths
/// differ. Input x [b, inputDepth, H, W]; output [b, outputDepth, H, W]. Throws c10::Error if the
/// input has another depth.
class ChannelAttentionImpl : public RoledModule {
 public:
  ChannelAttentionImpl(std::int64_t inputDepth, std::int64_t outputDepth, int ratio);

  at::Tensor forward(const at::Tensor& x);

  std::int64_t inputDepth;
  SqueezeExcitation gate{nullptr};
  torch::nn::Conv2d pointwise{nullptr};  ///< Null where the depths are equal.
};

TORCH_MODULE(ChannelAttention);

/// Spatial attention: y_n = g_n x_n with g = sigmoid(w * (mean_c x, max_c x) + b), the convolution
/// of a map of two channels by a filter of k x k pixels (Woo et al., 2018, arXiv:1807.06521,
/// section 3.2), then a 1x1 convolution where the depths differ. Input x [b, inputDepth, H, W];
/// output [b, outputDepth, H, W]. Throws c10::Error if the input has another depth.
class SpatialAttentionImpl : public RoledModule, public ShowsAttention {
 public:
  /// Throws c10::Error if the filter's side is even.
  SpatialAttentionImpl(std::int64_t inputDepth, std::int64_t outputDepth, int kernelSize);

  at::Tensor forward(const at::Tensor& x);

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// g [b, 1, H, W] for an input.
  at::Tensor gates(const at::Tensor& x);

  std::int64_t inputDepth;
  torch::nn::Conv2d gate{nullptr};       ///< 2 -> 1, k x k
  torch::nn::Conv2d pointwise{nullptr};  ///< Null where the depths are equal.
};

TORCH_MODULE(SpatialAttention);

}  // namespace lambda
