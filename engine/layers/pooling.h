#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "engine/values/architecture/graph.h"

namespace lambda {

/// A map [b, c, H, W] after the pooling of a node, [b, c, ceil(H / 2), ceil(W / 2)].
at::Tensor pooled(const at::Tensor& map, const PoolNode& node);

/// The means over 3x3 pixels with stride 2 of a map [b, c, H, W]; a border of one pixel of zeros
/// counts. What a lambda or an attention layer uses for a stride (LambdaNetworks, appendix E.1: an
/// average pooling after the layer).
at::Tensor poolAverage(const at::Tensor& map);

/// The gradient of a map [b, c, H, W] from that of its means, both channels last.
at::Tensor poolAverageBackward(const at::Tensor& dy, std::int64_t height, std::int64_t width);

}  // namespace lambda
