#include "engine/layers/convolution/convolve.h"

#include <optional>

#include "engine/layers/convolution/winograd_convolution.h"

namespace lambda {

namespace {

/// Most positions of the output at which a product of matrices is faster than oneDNN's convolution.
constexpr std::int64_t kFewPositions = 16;

/// Whether the options are those that convolve() handles: no groups, no dilation, zero padding.
bool isPlain(const torch::nn::detail::ConvNdOptions<2>& options) {
  return options.groups() == 1 && options.dilation()->at(0) == 1 &&
         options.dilation()->at(1) == 1 &&
         std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode()) &&
         std::holds_alternative<torch::ExpandingArray<2>>(options.padding());
}

/// The only tap of a kernel along one axis that lies on the map for every output position, if there
/// is just one. `kernel`, `padding` and `side` are sizes along that axis.
std::optional<std::int64_t> onlyTap(std::int64_t kernel, std::int64_t padding, std::int64_t side) {
  if (kernel == 1 && padding == 0) return 0;
  if (side == 1 && kernel == 2 * padding + 1) return padding;
  return std::nullopt;
}

/// The number of positions along a side that a stride reaches.
std::int64_t every(std::int64_t stride, std::int64_t side) {
  return (side + stride - 1) / stride;
}

/// Whether stride and padding are 1, as a 3x3 kernel needs to keep the map's size, without a bias.
bool keepsSize(const torch::nn::detail::ConvNdOptions<2>& options) {
  const auto& padding = std::get<torch::ExpandingArray<2>>(options.padding());
  return *options.stride() == std::array<std::int64_t, 2>{1, 1} &&
         *padding == std::array<std::int64_t, 2>{1, 1} && !options.bias();
}

/// W [o, c] if the plain convolution is a product of matrices on this map.
std::optional<at::Tensor> matrixOf(const torch::nn::detail::ConvNdOptions<2>& options,
                                   const at::Tensor& weight,
                                   const at::Tensor& x) {
  if (!x.is_cpu() || x.dim() != 4) return std::nullopt;
  const auto& stride = *options.stride();
  if (every(stride[0], x.size(2)) * every(stride[1], x.size(3)) > kFewPositions)
    return std::nullopt;
  const auto& padding = std::get<torch::ExpandingArray<2>>(options.padding());
  const auto row = onlyTap(weight.size(2), padding->at(0), x.size(2));
  const auto column = onlyTap(weight.size(3), padding->at(1), x.size(3));
  if (!row || !column) return std::nullopt;
  const at::Tensor taps = weight.flatten(2);
  return taps.size(2) == 1 ? taps.squeeze(2) : taps.select(2, *row * weight.size(3) + *column);
}

}  // namespace

at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x) {
  if (!isPlain(conv->options)) return conv(x);
  const at::Tensor& weight = conv->weight;
  const auto& stride = *conv->options.stride();
  const std::optional<at::Tensor> matrix = matrixOf(conv->options, weight, x);
  if (!matrix) {
    if (keepsSize(conv->options) && winogradPays(x, weight)) return winogradConvolution(x, weight);
    const auto& padding = std::get<torch::ExpandingArray<2>>(conv->options.padding());
    return at::conv2d(x, weight, conv->bias, conv->options.stride(), padding);
  }
  at::Tensor met = x;
  for (std::int64_t side = 0; side < 2; ++side) {
    // Only if needed: the gradient of a slice is copied into a map of zeros, even if it is the
    // whole map.
    if (stride[side] > 1) met = met.slice(2 + side, 0, std::nullopt, stride[side]);
  }
  const at::Tensor pixels = met.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
  const at::Tensor y = conv->bias.defined() ? at::addmm(conv->bias, pixels, matrix->t())
                                            : at::mm(pixels, matrix->t());
  return y.view({x.size(0), met.size(2), met.size(3), -1}).permute({0, 3, 1, 2});
}

}  // namespace lambda
