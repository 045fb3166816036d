#include "engine/layers/pooling.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/pooling/average_pooling.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kHeight = "height";
constexpr const char* kWidth = "width";

AveragePoolingShape shapeOf(const at::Tensor& map) {
  return {map.size(0), map.size(2), map.size(3), map.size(1), elementOf(map)};
}

class AveragePooling : public torch::autograd::Function<AveragePooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    const AveragePoolingShape shape = shapeOf(x);
    context->saved_data[kHeight] = shape.height;
    context->saved_data[kWidth] = shape.width;
    const at::Tensor y = emptyChannelsLast(
        {shape.images, shape.channels, shape.pooledHeight(), shape.pooledWidth()}, x.options());
    averagePoolingForward(shape, x.const_data_ptr(), y.mutable_data_ptr(), onTorchThreads);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("average pooling");
    return {poolAverageBackward(outputs[0].contiguous(at::MemoryFormat::ChannelsLast),
                                context->saved_data[kHeight].toInt(),
                                context->saved_data[kWidth].toInt())};
  }
};

}  // namespace

at::Tensor poolAverage(const at::Tensor& map) {
  if (isPixelRows(map)) return AveragePooling::apply(map);
  return at::avg_pool2d(map, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
}

at::Tensor pooled(const at::Tensor& map, const PoolNode& node) {
  const bool isWide = node.window == 3;
  if (node.pooling == Pooling::average) {
    return isWide ? poolAverage(map)
                  : at::avg_pool2d(map, 2, 2, 0, /*ceil_mode=*/true, /*count_include_pad=*/false);
  }
  return isWide ? at::max_pool2d(map, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1)
                : at::max_pool2d(map,
                                 /*kernel_size=*/2,
                                 /*stride=*/2,
                                 /*padding=*/0,
                                 /*dilation=*/1,
                                 /*ceil_mode=*/true);
}

at::Tensor poolAverageBackward(const at::Tensor& dy, std::int64_t height, std::int64_t width) {
  const at::Tensor dx = emptyChannelsLast({dy.size(0), dy.size(1), height, width}, dy.options());
  averagePoolingBackward(shapeOf(dx), dy.const_data_ptr(), dx.mutable_data_ptr(), onTorchThreads);
  return dx;
}

}  // namespace lambda
