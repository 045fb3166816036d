#pragma once

#include "engine/layers/attention/attention_heads.h"
#include "engine/layers/sequences/recurrent_layer.h"

namespace lambda {

/// Global multi-head self-attention with relative positions in two dimensions: y_n = sum_m a_nm v_m
/// with a_nm = softmax_m (q_n . (k_m + r^W_{jx - ix} + r^H_{jy - iy}) / sqrt(d / h)), where (ix,
/// iy) and (jx, jy) are the places of n and m (Bello et al., 2019, arXiv:1904.09925, equations 3
/// and 4). All heads share the tables r^W [2W - 1, d / h] and r^H [2H - 1, d / h], which are drawn
/// from N(0, h / d). Input x [b, inputDepth, H, W]; output [b, d, H, W]. Throws c10::Error if the
/// input has another depth or size. If it is causal, n sees only the positions m <= n, row by row.
class SelfAttentionImpl : public AttentionModule, public ShowsAttention, public RecurrentLayer {
 public:
  SelfAttentionImpl(const AttentionOptions& options, bool relative, bool causal = false);

  at::Tensor forward(const at::Tensor& x);

  /// Only if it is causal, for maps of one row. A position sees itself and the W - 1 before it. The
  /// state has the keys and values of those W - 1, each [b, h, n, d / h].
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// The weights a [b, h, n, m] for an input.
  at::Tensor weights(const at::Tensor& x);

  bool causal;
  at::Tensor rowTable;     ///< r^H [2H - 1, d / h]; undefined without relative positions.
  at::Tensor columnTable;  ///< r^W [2W - 1, d / h]; undefined without relative positions.

 private:
  at::Tensor weightsOf(const HeadedInputs& inputs) const;
  /// The weights [b, h, n, m] of queries among keys, with 0 for the pairs [n, m] in `hidden`.
  /// `columnOffsets`: the embeddings of a row's pairs, [queries, keys, d / h]. Either may be
  /// undefined.
  at::Tensor weightsOf(const HeadedInputs& inputs,
                       const at::Tensor& columnOffsets,
                       const at::Tensor& hidden) const;
};

TORCH_MODULE(SelfAttention);

}  // namespace lambda
