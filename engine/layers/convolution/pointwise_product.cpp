#include "engine/layers/convolution/pointwise_product.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/products/matrix_products.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/matrix_product.h"
#include "engine/layers/once_differentiable.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Fewest rows that repay packing the weights.
constexpr std::int64_t kFewestRows = 64;

class PointwiseProduct : public torch::autograd::Function<PointwiseProduct> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& pixels,
                            const at::Tensor& weights) {
    context->save_for_backward({pixels, weights});
    return matrixProduct(pixels, weights.t());
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("convolution");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = outputs[0].contiguous();
    variable_list gradients(2);
    if (context->needs_input_grad(0)) gradients[0] = matrixProduct(dy, saved[1]);
    if (context->needs_input_grad(1)) gradients[1] = matrixProduct(dy.t(), saved[0]);
    return gradients;
  }
};

}  // namespace

bool pointwiseProductPays(const at::Tensor& x, std::int64_t rows, const at::Tensor& weight) {
  return matrixProductsPay() && rows >= kFewestRows && isPixelRows(x) &&
         x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat &&
         !at::autocast::is_autocast_enabled(at::kCPU) && weight.size(0) % kProductColumns == 0 &&
         weight.size(1) % kProductColumns == 0;
}

at::Tensor pointwiseProduct(const at::Tensor& pixels, const at::Tensor& weights) {
  return PointwiseProduct::apply(pixels, weights);
}

at::Tensor pointwiseProduct(const at::Tensor& pixels,
                            const at::Tensor& weights,
                            const ColumnEpilogue& epilogue) {
  return matrixProduct(pixels, weights.t(), epilogue);
}

}  // namespace lambda
