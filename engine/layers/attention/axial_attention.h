#pragma once

#include "engine/layers/attention/attention_heads.h"

namespace lambda {

/// Multi-head self-attention along one axis of a map: y_n = sum_m a_nm v_m over the positions m of
/// the query's row or column, with a_nm = softmax_m (q_n . (k_m + r_{m - n}) / sqrt(d / h)) (Ho et
/// al., 2019, arXiv:1912.12180; relative positions as in Bello et al., 2019). The table [2 size -
/// 1, d / h], which all heads share, is drawn from N(0, h / d). Input x [b, inputDepth, H, W];
/// output [b, d, H, W]. Throws c10::Error if the input has another depth or size.
class LineAttentionImpl : public AttentionModule {
 public:
  enum class Axis { row, column };

  LineAttentionImpl(const AttentionOptions& options, Axis axis, bool relative);

  at::Tensor forward(const at::Tensor& x);

  /// The weights [b, h, lines, size, size] for an input: of the places of a line among each other.
  at::Tensor weights(const at::Tensor& x);

  Axis axis;
  at::Tensor table;  ///< [2 size - 1, d / h]; undefined without relative positions.

 private:
  std::int64_t size() const { return axis == Axis::row ? options.mapWidth : options.mapHeight; }

  /// [b, h, n, c] as lines [b, h, lines, size, c].
  at::Tensor toLines(const at::Tensor& headed) const;
  at::Tensor weightsOf(const HeadedInputs& inputs) const;
};

TORCH_MODULE(LineAttention);

/// Axial attention: attention along rows, then along columns, with projections and tables of their
/// own (Ho et al., 2019; Wang et al., 2020, arXiv:2003.07853). Two layers reach the whole map.
class AxialAttentionImpl : public RoledModule, public ShowsAttention {
 public:
  AxialAttentionImpl(const AttentionOptions& options, bool relative);

  at::Tensor forward(const at::Tensor& x);

  AttentionTerms terms(const at::Tensor& x, std::int64_t query) override;

  /// How much of each position m reaches the output at n, [b, h, n, m], through the same head in
  /// both layers: a_nj of the column times a_jm of the row at their crossing j.
  at::Tensor weights(const at::Tensor& x);

  LineAttention rows{nullptr};
  LineAttention columns{nullptr};
};

TORCH_MODULE(AxialAttention);

}  // namespace lambda
