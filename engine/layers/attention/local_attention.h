#pragma once

#include "engine/layers/attention/attention_heads.h"

namespace lambda {

/// Multi-head self-attention within the r x r window around each query: y_n = sum_m a_nm v_m with
/// a_nm = softmax_m (q_n . k_m + q_n . r_{m - n}), where r_{m - n} joins an embedding of the row
/// offset and one of the column offset, d / 2h values each (Ramachandran et al., 2019,
/// arXiv:1906.05909, equation 3). Positions outside the map get no weight. The tables [r, d / 2],
/// all heads together, are drawn from N(0, h / d). Input x [b, inputDepth, H, W]; output
/// [b, d, H, W]. Throws c10::Error if the input has another depth or size.
class LocalAttentionImpl : public AttentionModule, public ShowsAttention {
 public:
  /// Throws c10::Error if the heads do not divide the depth into even depths, or if the scope is
  /// even.
  LocalAttentionImpl(const AttentionOptions& options, int scope);

  at::Tensor forward(const at::Tensor& x);

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// The weights a [b, h, n, m] for an input; 0 outside the window.
  at::Tensor weights(const at::Tensor& x);

  int scope;               ///< r
  at::Tensor rowTable;     ///< [r, h, d / 2h]
  at::Tensor columnTable;  ///< [r, h, d / 2h]

  /// Whether forward() computes the pairs within windows only, offset by offset, instead of all
  /// pairs of positions with those outside masked. By default sumsWindowsOn() decides.
  bool sumsWindows;

 private:
  /// Products [b, h, r r, n] of the queries with the embeddings of each offset in the window.
  at::Tensor offsetLogits(const at::Tensor& q) const;
  at::Tensor denseWeights(const HeadedInputs& inputs);
  /// The weights a_n [b, h, m] of one query.
  at::Tensor weightsOfQuery(const HeadedInputs& inputs, std::int64_t query) const;
  at::Tensor windowOutput(const HeadedInputs& inputs);

  // Made at their first use on a device.
  at::Tensor farPairs_;  ///< Whether one position lies outside the other's window. [n, n]
  at::Tensor offMap_;    ///< Whether an offset leads from a position off the map. [r r, H, W]
};

TORCH_MODULE(LocalAttention);

}  // namespace lambda
