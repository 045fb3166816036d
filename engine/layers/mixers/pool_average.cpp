#include "engine/layers/mixers/pool_average.h"

#include <cstdint>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/pooling/average_pooling.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kSizes = "sizes";

AveragePoolingShape shapeOf(at::IntArrayRef sizes, const at::Tensor& map) {
  return {sizes[0], sizes[2], sizes[3], sizes[1], elementOf(map)};
}

class AveragePooling : public torch::autograd::Function<AveragePooling> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->saved_data[kSizes] = x.sizes().vec();
    const AveragePoolingShape shape = shapeOf(x.sizes(), x);
    const at::Tensor y = emptyChannelsLast(
        {shape.images, shape.channels, shape.pooledHeight(), shape.pooledWidth()}, x.options());
    averagePoolingForward(shape, x.const_data_ptr(), y.mutable_data_ptr(), onTorchThreads);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("average pooling");
    const std::vector<std::int64_t> sizes = context->saved_data[kSizes].toIntVector();
    const at::Tensor dy = outputs[0].contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor dx = emptyChannelsLast(sizes, dy.options());
    averagePoolingBackward(
        shapeOf(sizes, dy), dy.const_data_ptr(), dx.mutable_data_ptr(), onTorchThreads);
    return {dx};
  }
};

}  // namespace

at::Tensor poolAverage(const at::Tensor& map) {
  if (isPixelRows(map)) return AveragePooling::apply(map);
  return at::avg_pool2d(map, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
}

}  // namespace lambda
