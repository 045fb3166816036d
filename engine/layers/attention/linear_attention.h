#pragma once

#include "engine/layers/attention/attention_heads.h"
#include "engine/layers/sequences/recurrent_layer.h"
#include "engine/values/architecture/mixer.h"

namespace lambda {

/// Linear attention: y_n = (sum_m φ(k_m) v_m^T)^T φ(q_n) for each head, without a matrix of pairs.
///   softmax   φ is a softmax of each query over its depth, and of each key channel over positions,
///             so that the weights φ(q_n) . φ(k_m) add up to 1 (Shen et al., 2018,
///             arXiv:1812.01243, equation 4)
///   elu       φ(x) = elu(x) + 1, and the sum is divided by φ(q_n) . sum_m φ(k_m) (Katharopoulos et
///             al., 2020, arXiv:2006.16236, equations 5 and 7)
/// If it is causal, n sees only the positions m <= n, row by row: sums and softmax of keys run over
/// them alone. In float32 on the CPU a kernel sums them in a running state and is differentiable
/// once; elsewhere the weights of all pairs are made, for softmax from keys [n, m, d / h].
/// Input x [b, inputDepth, H, W]; output [b, d, H, W]. Throws c10::Error if the input has another
/// depth or size.
class LinearAttentionImpl : public AttentionModule, public ShowsAttention, public RecurrentLayer {
 public:
  LinearAttentionImpl(const AttentionOptions& options, FeatureMap featureMap, bool causal = false);

  at::Tensor forward(const at::Tensor& x);

  /// Only if it is causal. A position sees all before it. The state is that of
  /// continueCausalLambda() for b h images, whose values for elu have one more channel of ones.
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// The weights [b, h, n, m] that forward() applies without making them.
  at::Tensor weights(const at::Tensor& x);

  FeatureMap featureMap;
  bool causal;

 private:
  /// φ(q) and φ(k) in place of queries and keys. The softmax of keys that a causal mask hides in
  /// part is still to be taken.
  HeadedInputs features(HeadedInputs inputs) const;
  /// The weights of products [.., m] of features.
  at::Tensor normalized(const at::Tensor& products) const;
  at::Tensor causalWeightsOf(const HeadedInputs& inputs) const;
  /// The weights [b, h, m] of one query.
  at::Tensor weightsOfQuery(const HeadedInputs& inputs, std::int64_t query) const;
  /// How the keys of features() are still to be normalised if it is causal.
  KeyNormalization seenKeys() const;
  /// The output [b, h, n, c] by running sums.
  at::Tensor runningSums(const HeadedInputs& inputs) const;
};

TORCH_MODULE(LinearAttention);

}  // namespace lambda
