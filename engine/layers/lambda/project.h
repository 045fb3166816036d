#pragma once

#include <vector>

#include <ATen/ATen.h>

namespace lambda {

/// The 1x1 convolutions of a map x [b, c, H, W] by weights W_i [o_i, c, 1, 1]: maps y_i [b, o_i, H,
/// W], channels last, by matrixProduct(). Only where LayerInput::isFloatRows(). Gradients that are
/// not needed, such as those of frozen weights or of an image, are not computed. Throws c10::Error
/// in the backward pass if second derivatives are requested.
std::vector<at::Tensor> project(const at::Tensor& x, const std::vector<at::Tensor>& weights);

}  // namespace lambda
