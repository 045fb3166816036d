#pragma once

#include <vector>

#include <ATen/ATen.h>

namespace lambda {

/// Whether `project` takes the map: float32 on the CPU, channels last, outside autocast.
bool canProject(const at::Tensor& x);

/// The 1x1 convolutions of a map x [b, c, H, W] by weights W_i [o_i, c, 1, 1]: maps y_i
/// [b, o_i, H, W], channels last. Products of matrices, whose gradients of x are summed where they
/// are made instead of map by map. Gradients that nobody asks for, those of frozen weights or of an
/// image, are not computed.
std::vector<at::Tensor> project(const at::Tensor& x, const std::vector<at::Tensor>& weights);

}  // namespace lambda
