#include "engine/layers/convolution/matrix_form.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/layers/once_differentiable.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The number of positions along a side that a stride reaches.
std::int64_t outputsOf(std::int64_t side,
                       std::int64_t kernel,
                       std::int64_t stride,
                       std::int64_t padding) {
  return (side + 2 * padding - kernel) / stride + 1;
}

/// The only tap of a kernel along one axis that lies on the map for every output position, if there
/// is just one.
std::optional<std::int64_t> onlyTap(std::int64_t side, std::int64_t kernel, std::int64_t padding) {
  if (kernel == 1 && padding == 0) return 0;
  if (side == 1 && kernel == 2 * padding + 1) return padding;
  return std::nullopt;
}

/// Whether along one axis each output has a tap for each pixel.
bool connectsAll(std::int64_t side,
                 std::int64_t kernel,
                 std::int64_t stride,
                 std::int64_t padding) {
  const std::int64_t last = outputsOf(side, kernel, stride, padding) - 1;
  return last >= 0 && padding - last * stride >= 0 && padding + side <= kernel;
}

/// Where the taps that an output needs lie in the kernel.
struct TapsOfOutput {
  /// A view [o, c, H, W] of those of a weight [o, c, kernel height, kernel width].
  at::Tensor of(const at::Tensor& weight) const {
    return weight.narrow(2, row, height).narrow(3, column, width);
  }

  std::int64_t row, column, height, width;
};

/// W [H' W' o, H W c] from the taps of each output.
class TapMatrix : public torch::autograd::Function<TapMatrix> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& weight,
                            const std::vector<TapsOfOutput>& outputs) {
    const std::int64_t o = weight.size(0);
    std::vector<std::int64_t> places;
    const TapsOfOutput& any = outputs.front();
    at::Tensor matrix = at::empty({std::ssize(outputs), o, any.height, any.width, weight.size(1)},
                                  weight.options());
    for (std::int64_t i = 0; i < std::ssize(outputs); ++i) {
      matrix[i].copy_(outputs[i].of(weight).permute({0, 2, 3, 1}));
      places.insert(places.end(), {outputs[i].row, outputs[i].column});
    }
    context->saved_data["places"] = places;
    context->saved_data["sides"] = std::vector<std::int64_t>{any.height, any.width};
    context->save_for_backward({weight});
    return matrix.view({std::ssize(outputs) * o, -1});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    requireOnceDifferentiable("convolution");
    const at::Tensor weight = context->get_saved_variables()[0];
    const std::vector<std::int64_t> places = context->saved_data["places"].toIntVector();
    const std::vector<std::int64_t> sides = context->saved_data["sides"].toIntVector();
    const at::Tensor byOutput = gradients[0].reshape(
        {std::ssize(places) / 2, weight.size(0), sides[0], sides[1], weight.size(1)});
    at::Tensor dWeight = at::zeros_like(weight);
    for (std::int64_t i = 0; i < byOutput.size(0); ++i) {
      TapsOfOutput{places[2 * i], places[2 * i + 1], sides[0], sides[1]}.of(dWeight).add_(
          byOutput[i].permute({0, 3, 1, 2}));
    }
    return {dWeight, at::Tensor()};
  }
};

}  // namespace

ConvolutionSizes ConvolutionSizes::of(const at::Tensor& x, const at::Tensor& weight) {
  return {.images = x.size(0),
          .inputDepth = x.size(1),
          .height = x.size(2),
          .width = x.size(3),
          .outputDepth = weight.size(0),
          .kernel = {weight.size(2), weight.size(3)}};
}

std::optional<MatrixForm> MatrixForm::of(const ConvolutionSizes& sizes) {
  MatrixForm form;
  bool hasOnlyTap = true, connects = true;
  form.map_ = {sizes.images, sizes.outputDepth, 0, 0};
  form.side_ = {sizes.height, sizes.width};
  form.stride_ = sizes.stride;
  form.padding_ = sizes.padding;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t side = form.side_[axis], kernel = sizes.kernel[axis];
    const std::int64_t stride = sizes.stride[axis], padding = sizes.padding[axis];
    const std::optional<std::int64_t> tap = onlyTap(side, kernel, padding);
    hasOnlyTap = hasOnlyTap && tap;
    connects = connects && connectsAll(side, kernel, stride, padding);
    form.tap_[axis] = tap.value_or(0);
    form.map_[2 + axis] = outputsOf(side, kernel, stride, padding);
  }
  form.takesWholeMaps_ = !hasOnlyTap && connects;
  return hasOnlyTap || connects ? std::optional(form) : std::nullopt;
}

at::Tensor MatrixForm::pixelsOf(const at::Tensor& x) const {
  if (takesWholeMaps_) return x.permute({0, 2, 3, 1}).reshape({x.size(0), -1});
  at::Tensor met = x;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    // Only if needed: the gradient of a slice is copied into a map of zeros, even if it is the
    // whole map.
    if (stride_[axis] > 1) {
      met = met.slice(2 + static_cast<std::int64_t>(axis), 0, std::nullopt, stride_[axis]);
    }
  }
  return met.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
}

at::Tensor MatrixForm::matrixOf(const at::Tensor& weight) const {
  if (!takesWholeMaps_) {
    const at::Tensor taps = weight.flatten(2);
    return taps.size(2) == 1 ? taps.squeeze(2) : taps.select(2, tap_[0] * weight.size(3) + tap_[1]);
  }
  std::vector<TapsOfOutput> outputs;
  for (std::int64_t row = 0; row < map_[2]; ++row) {
    for (std::int64_t column = 0; column < map_[3]; ++column) {
      outputs.push_back(
          {padding_[0] - row * stride_[0], padding_[1] - column * stride_[1], side_[0], side_[1]});
    }
  }
  return TapMatrix::apply(weight, outputs);
}

at::Tensor MatrixForm::mapOf(const at::Tensor& y) const {
  return y.view({map_[0], map_[2], map_[3], map_[1]}).permute({0, 3, 1, 2});
}

}  // namespace lambda
