#include "engine/layers/pooling.h"

#include <ATen/ATen.h>

#include "engine/layers/channels_last.h"

namespace lambda {

at::Tensor poolAverage(const at::Tensor& map) {
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
  // Of the map itself, only its shape matters.
  const at::Tensor map = emptyChannelsLast({dy.size(0), dy.size(1), height, width}, dy.options());
  return at::avg_pool2d_backward(dy,
                                 map,
                                 /*kernel_size=*/3,
                                 /*stride=*/2,
                                 /*padding=*/1,
                                 /*ceil_mode=*/false,
                                 /*count_include_pad=*/true,
                                 /*divisor_override=*/std::nullopt);
}

}  // namespace lambda
