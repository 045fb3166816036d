#include "engine/layers/convolution/winograd_convolution.h"

#include <cmath>

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/convolution/winograd_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;

WinogradShape shapeOf(const at::Tensor& x, std::int64_t outputDepth) {
  return {x.size(0), x.size(2), x.size(3), x.size(1), outputDepth};
}

/// The convolution of x with `filters` [3, 3, in, out].
at::Tensor filtered(const at::Tensor& x,
                    const at::Tensor& filters,
                    const ColumnEpilogue& epilogue = {}) {
  const std::int64_t outputDepth = filters.size(3);
  at::Tensor y = emptyChannelsLast({x.size(0), outputDepth, x.size(2), x.size(3)}, x.options());
  convolveByWinograd(shapeOf(x, outputDepth),
                     x.const_data_ptr<float>(),
                     filters.const_data_ptr<float>(),
                     epilogue,
                     y.mutable_data_ptr<float>(),
                     onTorchThreads);
  return y;
}

/// The weight [out, in, 3, 3] as filters [3, 3, in, out].
at::Tensor tapsFirst(const at::Tensor& weight) {
  return weight.permute({2, 3, 1, 0}).contiguous();
}

class WinogradConvolution : public torch::autograd::Function<WinogradConvolution> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight) {
    context->save_for_backward({x, weight});
    return filtered(x, tapsFirst(weight));
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "convolution: second derivatives are not supported; compute in float64, or without "
                "channels-last memory");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor dy = outputs[0].contiguous(kChannelsLast);
    variable_list gradients(2);
    if (context->needs_input_grad(0)) {
      // The gradient of the input is a convolution of dy with the flipped kernels.
      gradients[0] = filtered(dy, weight.flip({2, 3}).permute({2, 3, 0, 1}).contiguous());
    }
    if (context->needs_input_grad(1)) gradients[1] = filterGradient(x, weight, dy);
    return gradients;
  }

 private:
  static at::Tensor filterGradient(const at::Tensor& x,
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
};

/// Whether Winograd's filtering needs clearly fewer multiplications than the plain sum, including
/// its transformations.
bool savesProducts(const WinogradShape& shape) {
  constexpr double kProductsOfTile = 36, kTileSide = 4;
  constexpr double kTransforms = 8;  // Cost of transforming a channel, in products.
  constexpr double kLeastGain = 1.25;
  constexpr double kFewestTiles = 32;  // Enough to repay transforming the filters.
  const auto height = static_cast<double>(shape.height), width = static_cast<double>(shape.width);
  const auto in = static_cast<double>(shape.inputDepth),
             out = static_cast<double>(shape.outputDepth);
  const double tiles = std::ceil(height / kTileSide) * std::ceil(width / kTileSide);
  const double products = kProductsOfTile * tiles * (in * out + kTransforms * (in + out));
  return tiles * static_cast<double>(shape.images) >= kFewestTiles &&
         kLeastGain * products < 9 * height * width * in * out;
}

}  // namespace

bool winogradPays(const at::Tensor& x, const at::Tensor& weight) {
  return isPixelRows(x) && x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat &&
         !at::autocast::is_autocast_enabled(at::kCPU) && weight.size(2) == 3 &&
         weight.size(3) == 3 && weight.size(0) % kWinogradDepth == 0 &&
         weight.size(1) % kWinogradDepth == 0 && savesProducts(shapeOf(x, weight.size(0)));
}

at::Tensor winogradConvolution(const at::Tensor& x, const at::Tensor& weight) {
  return WinogradConvolution::apply(x, weight);
}

at::Tensor winogradConvolution(const at::Tensor& x,
                               const at::Tensor& weight,
                               const ColumnEpilogue& epilogue) {
  return filtered(x, tapsFirst(weight), epilogue);
}

}  // namespace lambda
