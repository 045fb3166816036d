#pragma once

#include "engine/layers/attention/attention_heads.h"
#include "engine/values/architecture/mixer.h"

namespace lambda {

/// Linear attention: y_n = (sum_m φ(k_m) v_m^T)^T φ(q_n) for each head, without a matrix of pairs.
///   softmax   φ is a softmax of each query over its depth, and of each key channel over positions,
///             so that the weights φ(q_n) . φ(k_m) add up to 1 (Shen et al., 2018,
///             arXiv:1812.01243, equation 4)
///   elu       φ(x) = elu(x) + 1, and the sum is divided by φ(q_n) . sum_m φ(k_m) (Katharopoulos et
///             al., 2020, arXiv:2006.16236, equations 5 and 7)
/// Input x [b, inputDepth, H, W]; output [b, d, H, W]. Throws c10::Error if the input has another
/// depth or size.
class LinearAttentionImpl : public AttentionModule, public ShowsAttention {
 public:
  LinearAttentionImpl(const AttentionOptions& options, FeatureMap featureMap);

  at::Tensor forward(const at::Tensor& x);

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// The weights [b, h, n, m] that forward() applies without making them.
  at::Tensor weights(const at::Tensor& x);

  FeatureMap featureMap;

 private:
  /// φ(q) and φ(k) in place of queries and keys.
  HeadedInputs features(const at::Tensor& x);
  at::Tensor weightsOf(const HeadedInputs& inputs) const;
};

TORCH_MODULE(LinearAttention);

}  // namespace lambda
