#pragma once

#include "engine/layers/attention/attention_terms.h"
#include "engine/layers/roled_module.h"
#include "engine/values/architecture/mixer.h"

namespace lambda {

/// The non-local block: x_n + W_z sum_m a_nm g_m with c = d / 2 inner channels, where a_nm is
/// softmax_m (θ_n . φ_m) or θ_n . φ_m / N (Wang et al., 2018, arXiv:1711.07971, equations 4 to 6).
/// The input is added where it has d channels. The projections are 1x1 convolutions without bias,
/// drawn from a normal distribution of variance 1 / their input's channels. Input x
/// [b, inputDepth, H, W]; output [b, d, H, W]. Throws c10::Error if the input has another depth.
class NonLocalImpl : public RoledModule, public ShowsAttention {
 public:
  NonLocalImpl(std::int64_t inputDepth, std::int64_t outputDepth, PairwiseFunction pairwise);

  at::Tensor forward(const at::Tensor& x);

  /// Its values are W_z g_m, and its output is without the input that is added.
  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// The weights a [b, 1, n, m] for an input.
  at::Tensor weights(const at::Tensor& x);

  std::int64_t inputDepth;
  std::int64_t outputDepth;  ///< d
  PairwiseFunction pairwise;
  torch::nn::Conv2d queries{nullptr};  ///< θ: inputDepth -> c
  torch::nn::Conv2d keys{nullptr};     ///< φ: inputDepth -> c
  torch::nn::Conv2d values{nullptr};   ///< g: inputDepth -> c
  torch::nn::Conv2d output{nullptr};   ///< W_z: c -> d
};

TORCH_MODULE(NonLocal);

}  // namespace lambda
