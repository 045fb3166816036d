#pragma once

#include <ATen/ATen.h>

namespace lambda {

// Sums over the r x r window around each position of a map, offset by offset: nothing is copied for
// a window, so that memory grows with r^2 per position and head, not with r^2 per channel. Maps are
// [b, h, c, H, W]; padded maps have r / 2 more rows and columns on each side; numbers for each
// offset, row by row, are [b, h, r r, H, W]. Each function is differentiable by the other two.

/// p_{n,δ} = q_n . k_{n+δ} for the map q and the padded map k.
at::Tensor windowProducts(const at::Tensor& map, const at::Tensor& padded);

/// y_n = sum_δ a_{n,δ} v_{n+δ} for the padded map v.
at::Tensor windowSums(const at::Tensor& weights, const at::Tensor& padded);

/// The padded map z_m = sum_δ a_{m-δ,δ} q_{m-δ} for the map q: what each position gives to its
/// window.
at::Tensor windowSpread(const at::Tensor& weights, const at::Tensor& map);

}  // namespace lambda
