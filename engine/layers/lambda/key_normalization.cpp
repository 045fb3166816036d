#include "engine/layers/lambda/key_normalization.h"

#include <limits>

namespace lambda {

namespace {

/// Each channel divided by its 2-norm over dimension `m`. Squares in float64 neither overflow nor
/// vanish for any float32.
at::Tensor divideByNorm(const at::Tensor& keys, std::int64_t m) {
  const at::Tensor wide = keys.to(at::kDouble);
  const at::Tensor square = wide.square().sum(m, /*keepdim=*/true);
  // The root has no gradient at 0.
  const at::Tensor length = at::where(square > 0, square, at::ones_like(square)).sqrt();
  return (wide / length).to(keys.scalar_type());
}

/// The softmax over what each query sees, [b, n, m, c]. A query without context gets zeros.
at::Tensor maskedSoftmax(const at::Tensor& keys, const at::Tensor& seen) {
  const at::Tensor mask = seen.unsqueeze(2);  // [n, m, 1]
  // An empty context has no softmax: it is replaced by the whole one, and the result by 0.
  const at::Tensor within = mask.logical_or(mask.any(1, /*keepdim=*/true).logical_not());
  return keys.masked_fill(within.logical_not(), -std::numeric_limits<double>::infinity())
      .softmax(2)
      .masked_fill(mask.logical_not(), 0);
}

}  // namespace

at::Tensor normalizeKeys(const at::Tensor& keys,
                         KeyNormalization normalization,
                         const at::Tensor& seen) {
  const bool isMasked = seen.defined();
  const at::Tensor all = isMasked ? keys.unsqueeze(1) : keys;
  if (normalization == KeyNormalization::softmax) {
    return isMasked ? maskedSoftmax(all.expand({-1, seen.size(0), -1, -1}), seen) : all.softmax(1);
  }
  const at::Tensor visible =
      isMasked ? at::where(seen.unsqueeze(2), all, at::zeros({}, all.options())) : all;
  return normalization == KeyNormalization::l2 ? divideByNorm(visible, isMasked ? 2 : 1) : visible;
}

}  // namespace lambda
