#include "engine/layers/convolution/same_convolution.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/convolution/amx_convolution.h"
#include "engine/kernels/convolution/winograd_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;

ConvolutionShape shapeOf(const at::Tensor& x, std::int64_t outputDepth) {
  return {x.size(0), x.size(2), x.size(3), x.size(1), outputDepth};
}

/// A map of x's size with `depth` channels, whose values are not set.
at::Tensor mapLike(const at::Tensor& x, std::int64_t depth) {
  return emptyChannelsLast({x.size(0), depth, x.size(2), x.size(3)}, x.options());
}

/// Winograd's minimal filtering, in float32. As AmxForm, it has the output y, the gradient of x,
/// and the gradient of the weight.
struct WinogradForm {
  static at::Tensor output(const at::Tensor& x,
                           const at::Tensor& weight,
                           const ColumnEpilogue& epilogue = {}) {
    return filtered(x, weight.permute({2, 3, 1, 0}).contiguous(), epilogue);
  }

  /// A convolution of dy with the flipped kernels.
  static at::Tensor inputGradient(const at::Tensor& dy, const at::Tensor& weight) {
    return filtered(dy, weight.flip({2, 3}).permute({2, 3, 0, 1}).contiguous(), {});
  }

  static at::Tensor weightGradient(const at::Tensor& x,
                                   const at::Tensor& weight,
                                   const at::Tensor& dy) {
    const at::Tensor gradient = at::empty({3, 3, weight.size(1), weight.size(0)}, x.options());
    winogradFilterGradient(shapeOf(x, weight.size(0)),
                           x.const_data_ptr<float>(),
                           dy.const_data_ptr<float>(),
                           gradient.mutable_data_ptr<float>(),
                           onTorchThreads);
    return at::empty_like(weight).copy_(gradient.permute({3, 2, 0, 1}));
  }

 private:
  /// The convolution of x with `filters` [3, 3, in, out].
  static at::Tensor filtered(const at::Tensor& x,
                             const at::Tensor& filters,
                             const ColumnEpilogue& epilogue) {
    at::Tensor y = mapLike(x, filters.size(3));
    convolveByWinograd(shapeOf(x, filters.size(3)),
                       x.const_data_ptr<float>(),
                       filters.const_data_ptr<float>(),
                       epilogue,
                       y.mutable_data_ptr<float>(),
                       onTorchThreads);
    return y;
  }
};

/// Products of matrices by AMX, in bfloat16.
struct AmxForm {
  static at::Tensor output(const at::Tensor& x, const at::Tensor& weight) {
    at::Tensor y = mapLike(x, weight.size(0));
    convolveByAmx(shapeOf(x, weight.size(0)),
                  bitsOf(x),
                  bitsOf(weight.contiguous(kChannelsLast)),
                  writableBitsOf(y),
                  onTorchThreads);
    return y;
  }

  static at::Tensor inputGradient(const at::Tensor& dy, const at::Tensor& weight) {
    at::Tensor dx = mapLike(dy, weight.size(1));
    amxInputGradient(shapeOf(dx, weight.size(0)),
                     bitsOf(dy),
                     bitsOf(weight.contiguous(kChannelsLast)),
                     writableBitsOf(dx),
                     onTorchThreads);
    return dx;
  }

  static at::Tensor weightGradient(const at::Tensor& x,
                                   const at::Tensor& weight,
                                   const at::Tensor& dy) {
    const at::Tensor gradient = emptyChannelsLast(weight.sizes(), weight.options());
    amxFilterGradient(shapeOf(x, weight.size(0)),
                      bitsOf(x),
                      bitsOf(dy),
                      writableBitsOf(gradient),
                      onTorchThreads);
    return weight.is_contiguous(kChannelsLast) ? gradient : at::empty_like(weight).copy_(gradient);
  }

 private:
  static const Bfloat16* bitsOf(const at::Tensor& tensor) {
    return reinterpret_cast<const Bfloat16*>(tensor.const_data_ptr<at::BFloat16>());
  }

  static Bfloat16* writableBitsOf(const at::Tensor& tensor) {
    return reinterpret_cast<Bfloat16*>(tensor.mutable_data_ptr<at::BFloat16>());
  }
};

template <class Form>
class SameConvolution : public torch::autograd::Function<SameConvolution<Form>> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight) {
    context->save_for_backward({x, weight});
    return Form::output(x, weight);
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "convolution: second derivatives are not supported; compute in float64, or without "
                "channels-last memory");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor dy = outputs[0].contiguous(kChannelsLast);
    variable_list gradients(2);
    if (context->needs_input_grad(0)) gradients[0] = Form::inputGradient(dy, weight);
    if (context->needs_input_grad(1)) gradients[1] = Form::weightGradient(x, weight, dy);
    return gradients;
  }
};

}  // namespace

at::Tensor sameConvolution(const at::Tensor& x, const at::Tensor& weight) {
  return x.scalar_type() == at::kFloat ? SameConvolution<WinogradForm>::apply(x, weight)
                                       : SameConvolution<AmxForm>::apply(x, weight);
}

at::Tensor sameConvolution(const at::Tensor& x,
                           const at::Tensor& weight,
                           const ColumnEpilogue& epilogue) {
  return WinogradForm::output(x, weight, epilogue);
}

}  // namespace lambda
