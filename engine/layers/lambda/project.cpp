#include "engine/layers/lambda/project.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/layers/matrix_product.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A map [b, c, H, W] as pixels [b H W, c], a view of the same memory; mapOf() is the inverse.
at::Tensor pixelsOf(const at::Tensor& map) {
  return map.permute({0, 2, 3, 1}).reshape({-1, map.size(1)});
}

at::Tensor mapOf(const at::Tensor& pixels, const at::Tensor& like) {
  return pixels.view({like.size(0), like.size(2), like.size(3), -1}).permute({0, 3, 1, 2});
}

at::Tensor matrixOf(const at::Tensor& weight) {
  return weight.reshape({weight.size(0), weight.size(1)});
}

class Projections : public torch::autograd::Function<Projections> {
 public:
  static variable_list forward(AutogradContext* context,
                               const at::Tensor& x,
                               at::TensorList weights) {
    const at::Tensor pixels = pixelsOf(x);
    variable_list outputs, saved{x};
    for (const at::Tensor& weight : weights) {
      outputs.push_back(mapOf(matrixProduct(pixels, matrixOf(weight).t()), x));
      saved.push_back(weight);
    }
    context->save_for_backward(saved);
    context->set_materialize_grads(false);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "projections: second derivatives are not supported; compute in float64, or without "
                "channels-last memory");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor pixels = pixelsOf(saved[0]);
    at::Tensor dPixels;
    variable_list gradients{at::Tensor()};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const at::Tensor& weight = saved[i + 1];
      if (!outputs[i].defined()) {
        gradients.emplace_back();
        continue;
      }
      const at::Tensor dy = pixelsOf(outputs[i]);
      if (context->needs_input_grad(0)) {
        const at::Tensor more = matrixProduct(dy, matrixOf(weight));
        dPixels = dPixels.defined() ? dPixels.add_(more) : more;
      }
      gradients.push_back(context->needs_input_grad(i + 1)
                              ? matrixProduct(dy.t(), pixels).view_as(weight)
                              : at::Tensor());
    }
    if (dPixels.defined()) gradients[0] = mapOf(dPixels, saved[0]);
    return gradients;
  }
};

}  // namespace

std::vector<at::Tensor> project(const at::Tensor& x, const std::vector<at::Tensor>& weights) {
  return Projections::apply(x, at::TensorList(weights));
}

}  // namespace lambda
