#include "engine/layers/norm_and_pool/max_pool.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/pooling/max_pool_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The number of windows along an axis of `size` pixels; less than 1 if none fits.
std::int64_t windowsOn(std::int64_t size, const MaxPoolOptions& options) {
  const std::int64_t room = size + 2 * options.padding - options.side;
  if (room < 0 && !options.ceilMode) return 0;
  std::int64_t windows = (room + (options.ceilMode ? options.stride - 1 : 0)) / options.stride + 1;
  // As in torch, a window must start on the map or in the padding before it.
  if (options.ceilMode && (windows - 1) * options.stride >= size + options.padding) --windows;
  return windows;
}

MaxPoolShape shapeOf(const at::Tensor& x, const MaxPoolOptions& options) {
  return {x.size(0),
          x.size(1),
          x.size(2),
          x.size(3),
          windowsOn(x.size(2), options),
          windowsOn(x.size(3), options),
          options.side,
          options.stride,
          options.padding,
          elementOf(x)};
}

bool kernelSupports(const MaxPoolShape& shape) {
  return shape.side <= kLargestPoolSide && 2 * shape.padding <= shape.side &&
         shape.outputHeight > 0 && shape.outputWidth > 0;
}

class KernelMaxPool : public torch::autograd::Function<KernelMaxPool> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const MaxPoolShape& shape,
                            const MaxPoolOptions& options) {
    const std::vector<std::int64_t> sizes{
        shape.images, shape.channels, shape.outputHeight, shape.outputWidth};
    const at::Tensor y = emptyChannelsLast(sizes, x.options());
    const at::Tensor taken = emptyChannelsLast(sizes, x.options().dtype(at::kByte));
    maxPoolForward(shape,
                   x.const_data_ptr(),
                   y.mutable_data_ptr(),
                   taken.mutable_data_ptr<std::uint8_t>(),
                   onTorchThreads);
    context->save_for_backward({taken});
    context->saved_data["input"] = x.sizes();
    context->saved_data["side"] = options.side;
    context->saved_data["stride"] = options.stride;
    context->saved_data["padding"] = options.padding;
    context->saved_data["ceilMode"] = options.ceilMode;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "max pool: second derivatives are not supported; compute in float64, or without "
                "channels-last memory");
    const at::Tensor dy = outputs[0].contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor taken = context->get_saved_variables()[0];
    const at::Tensor dx =
        emptyChannelsLast(context->saved_data["input"].toIntVector(), dy.options());
    const MaxPoolOptions options{context->saved_data["side"].toInt(),
                                 context->saved_data["stride"].toInt(),
                                 context->saved_data["padding"].toInt(),
                                 context->saved_data["ceilMode"].toBool()};
    maxPoolBackward(shapeOf(dx, options),
                    dy.const_data_ptr(),
                    taken.const_data_ptr<std::uint8_t>(),
                    dx.mutable_data_ptr(),
                    onTorchThreads);
    return {dx, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor maxPool(const at::Tensor& x, const MaxPoolOptions& options) {
  if (isPixelRows(x)) {
    const MaxPoolShape shape = shapeOf(x, options);
    if (kernelSupports(shape)) return KernelMaxPool::apply(x, shape, options);
  }
  return at::max_pool2d(
      x, options.side, options.stride, options.padding, /*dilation=*/1, options.ceilMode);
}

}  // namespace lambda
