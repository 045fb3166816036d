#pragma once

#include "engine/layers/mixers/mixers.h"
#include "engine/layers/sequences/recurrent_layer.h"

namespace lambda {

struct DepthwiseConvolutionOptions {
  std::int64_t inputDepth = 64;
  std::int64_t outputDepth = 64;
  int kernelSize = 3;  ///< Odd, unless the window is causal.
  int stride = 1;
  bool causal = false;  ///< The window covers a position and those before it in its row.
};

/// A depthwise convolution: each channel is convolved with its own filter, y_c = w_c * x_c (Sifre
/// and Mallat, 2014; Howard et al., 2017, arXiv:1704.04861). Where the depths differ, a 1x1
/// convolution follows, which makes it depthwise separable. It has no biases, because a norm
/// follows. Filters are initialised from a normal distribution of variance 2 over their size (He et
/// al., 2015). A causal window has one row, which ends with the position itself. Input x [b,
/// inputDepth, H, W]; output [b, outputDepth, H', W'] with H' = ceil(H / stride) and W' = ceil(W /
/// stride). Throws c10::Error if the input has another depth.
class DepthwiseConvolutionImpl : public RoledModule, public RecurrentLayer {
 public:
  explicit DepthwiseConvolutionImpl(const DepthwiseConvolutionOptions& options);

  at::Tensor forward(const at::Tensor& x);

  /// Only if it is causal and keeps all positions. The state has the last k - 1 positions,
  /// [b, inputDepth, 1, k - 1].
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  DepthwiseConvolutionOptions options;
  at::Tensor filters;                    ///< [inputDepth, 1, k, k]; causal [inputDepth, 1, 1, k]
  torch::nn::Conv2d pointwise{nullptr};  ///< Null where the depths are equal.

 private:
  /// The output for a map, with `padding` rows and columns of zeros around it.
  at::Tensor convolved(const at::Tensor& x, std::int64_t padding);
};

TORCH_MODULE(DepthwiseConvolution);

}  // namespace lambda
