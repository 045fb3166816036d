#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace lambda {

/// The attention weights of one query n, for a batch. Where the output of a head is the sum
/// y_n = sum_m a_nm v_m, `values` and `output` are its parts; otherwise they are undefined.
struct AttentionTerms {
  at::Tensor weights;      ///< a_n [b, h, m]; of gates [b, 1, m], the same for every query.
  at::Tensor values = {};  ///< v [b, h, m, c]
  at::Tensor output = {};  ///< y_n [b, h, c], from the layer's forward pass.
};

/// A layer whose weights of positions can be shown.
class ShowsAttention {
 public:
  virtual ~ShowsAttention() = default;

  /// The terms for an input x [b, inputDepth, H, W] and the query at position n of H W, row by row.
  /// They take no more memory than the layer's forward pass.
  virtual AttentionTerms terms(const at::Tensor& x, std::int64_t query) = 0;
};

}  // namespace lambda
