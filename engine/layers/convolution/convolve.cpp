#include "engine/layers/convolution/convolve.h"

#include <optional>

#include "engine/layers/convolution/winograd_convolution.h"

namespace lambda {

namespace {

/// Positions of the output from which on oneDNN's convolution is as fast.
constexpr std::int64_t kFewPositions = 16;

bool isPlain(const torch::nn::detail::ConvNdOptions<2>& options) {
  return options.groups() == 1 && options.dilation()->at(0) == 1 &&
         options.dilation()->at(1) == 1 &&
         std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode()) &&
         std::holds_alternative<torch::ExpandingArray<2>>(options.padding());
}

/// The tap that every position of the output meets alone, if there is one: rows of the map and of
/// the kernel are judged alike.
std::optional<std::int64_t> onlyTap(std::int64_t kernel, std::int64_t padding, std::int64_t side) {
  if (kernel == 1 && padding == 0) return 0;
  if (side == 1 && kernel == 2 * padding + 1) return padding;
  return std::nullopt;
}

/// How many of a side's positions a stride meets.
std::int64_t every(std::int64_t stride, std::int64_t side) {
  return (side + stride - 1) / stride;
}

/// Whether the output is of the input's size, without a bias.
bool keepsSize(const torch::nn::detail::ConvNdOptions<2>& options) {
  const auto& padding = std::get<torch::ExpandingArray<2>>(options.padding());
  return *options.stride() == std::array<std::int64_t, 2>{1, 1} &&
         *padding == std::array<std::int64_t, 2>{1, 1} && !options.bias();
}

/// W [o, c] of the plain convolutions that are a product on this map.
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
    // The gradient of a slice is a map of zeros to which it is copied, even if it is the whole.
    if (stride[side] > 1) met = met.slice(2 + side, 0, std::nullopt, stride[side]);
  }
  const at::Tensor pixels = met.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
  const at::Tensor y = conv->bias.defined() ? at::addmm(conv->bias, pixels, matrix->t())
                                            : at::mm(pixels, matrix->t());
  return y.view({x.size(0), met.size(2), met.size(3), -1}).permute({0, 3, 1, 2});
}

}  // namespace lambda
