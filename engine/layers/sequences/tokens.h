#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/ATen.h>

namespace lambda {

// A map [b, d, H, W] as its tokens [b, n, d], row by row, and back. A map that is channels last is
// not copied.

inline at::Tensor tokensOf(const at::Tensor& map) {
  return map.flatten(2).transpose(1, 2);
}

inline at::Tensor mapOf(const at::Tensor& tokens, std::int64_t height, std::int64_t width) {
  return tokens.transpose(1, 2).unflatten(2, {height, width});
}

/// Each token [b, n, d] replaced by the one before it, and the first by zeros: RWKV's token shift.
inline at::Tensor tokensBefore(const at::Tensor& tokens) {
  const std::int64_t last = tokens.size(1) - 1;
  return at::constant_pad_nd(tokens.narrow(1, 0, last), {0, 0, 1, 0});
}

/// The same where the first token follows `last` [b, d], which becomes the last of these.
inline at::Tensor tokensBefore(const at::Tensor& tokens, at::Tensor& last) {
  const at::Tensor before = last;
  last = tokens.select(1, tokens.size(1) - 1).clone();
  return at::cat({before.unsqueeze(1), tokens.narrow(1, 0, tokens.size(1) - 1)}, 1);
}

/// The last `count` positions of a tensor along a dimension, or all where there are fewer, in
/// memory of their own.
inline at::Tensor lastOf(const at::Tensor& x, std::int64_t dimension, std::int64_t count) {
  return x.slice(dimension, std::max<std::int64_t>(0, x.size(dimension) - count)).clone();
}

}  // namespace lambda
