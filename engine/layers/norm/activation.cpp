#include "engine/layers/norm/activation.h"

namespace lambda {

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return at::relu(x);
    case Activation::celu:
      return at::celu(x, kCeluAlpha);
    case Activation::gelu:
      return at::gelu(x);
    case Activation::silu:
      return at::silu(x);
    case Activation::relu6:
      return at::hardtanh(x, 0, 6);
  }
  TORCH_CHECK(false, "unknown activation ", static_cast<int>(activation));
}

}  // namespace lambda
