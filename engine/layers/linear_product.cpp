#include "engine/layers/linear_product.h"

#include <vector>

#include <c10/core/GradMode.h>

#include "engine/layers/layer_path.h"
#include "engine/layers/matrix_product.h"

namespace lambda {

at::Tensor linearProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const std::int64_t depth = weight.size(1);
  const bool isOneRow = x.numel() == depth && x.size(-1) == depth && !c10::GradMode::is_enabled() &&
                        LayerInput::of(x, weight).isFloat();
  if (!isOneRow) return at::linear(x, weight, bias);
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  const at::Tensor y = matrixProduct(x.reshape({1, -1}), weight.t()).view(sizes);
  return bias.defined() ? y + bias : y;
}

}  // namespace lambda
