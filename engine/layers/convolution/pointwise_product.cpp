#include "engine/layers/convolution/pointwise_product.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/layers/matrix_product.h"
#include "engine/layers/once_differentiable.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

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

at::Tensor pointwiseProduct(const at::Tensor& pixels, const at::Tensor& weights) {
  return PointwiseProduct::apply(pixels, weights);
}

at::Tensor pointwiseProduct(const at::Tensor& pixels,
                            const at::Tensor& weights,
                            const ColumnEpilogue& epilogue) {
  return matrixProduct(pixels, weights.t(), epilogue);
}

}  // namespace lambda
