#include "engine/layers/convolution/convolve.h"

#include <array>
#include <optional>

#include "engine/layers/convolution/norm_epilogue.h"
#include "engine/layers/convolution/pointwise_product.h"
#include "engine/layers/convolution/winograd_convolution.h"
#include "engine/layers/norm/activation.h"

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

/// A plain convolution of which only one tap lies on the map, as a product of matrices y = x W^T.
struct MatrixForm {
  /// x [b H' W', c], the pixels that the tap meets.
  at::Tensor pixelsOf(const at::Tensor& x) const {
    at::Tensor met = x;
    for (std::int64_t side = 0; side < 2; ++side) {
      // Only if needed: the gradient of a slice is copied into a map of zeros, even if it is the
      // whole map.
      if (stride[side] > 1) met = met.slice(2 + side, 0, std::nullopt, stride[side]);
    }
    return met.permute({0, 2, 3, 1}).reshape({-1, x.size(1)});
  }

  /// W [o, c]
  at::Tensor matrixOf(const at::Tensor& weight) const {
    const at::Tensor taps = weight.flatten(2);
    return taps.size(2) == 1 ? taps.squeeze(2) : taps.select(2, tap);
  }

  /// y [b H' W', o] as a map.
  at::Tensor mapOf(const at::Tensor& y) const {
    return y.view({map[0], map[2], map[3], map[1]}).permute({0, 3, 1, 2});
  }

  std::int64_t rows() const { return map[0] * positions(); }

  std::int64_t positions() const { return map[2] * map[3]; }

  std::int64_t tap;
  std::array<std::int64_t, 2> stride;
  std::array<std::int64_t, 4> map;  ///< The sizes of y, [b, o, H', W'].
};

std::optional<MatrixForm> matrixForm(const torch::nn::detail::ConvNdOptions<2>& options,
                                     const at::Tensor& weight,
                                     const at::Tensor& x) {
  if (!x.is_cpu() || x.dim() != 4) return std::nullopt;
  const auto& padding = std::get<torch::ExpandingArray<2>>(options.padding());
  const auto row = onlyTap(weight.size(2), padding->at(0), x.size(2));
  const auto column = onlyTap(weight.size(3), padding->at(1), x.size(3));
  if (!row || !column) return std::nullopt;
  const auto& stride = *options.stride();
  return MatrixForm{
      *row * weight.size(3) + *column,
      {stride[0], stride[1]},
      {x.size(0), weight.size(0), every(stride[0], x.size(2)), every(stride[1], x.size(3))}};
}

/// The epilogue's output, with an activation that it lacks.
at::Tensor activated(const at::Tensor& y, const AfterNorm& after) {
  const bool isDone = !after.activation || after.activation == Activation::relu;
  return isDone ? y : activate(y, *after.activation);
}

/// The output of convolveAndNormalize() by a kernel with an epilogue; undefined if none supports
/// it.
at::Tensor convolvedWithEpilogue(torch::nn::Conv2d& conv,
                                 torch::nn::BatchNorm2d& norm,
                                 const at::Tensor& x,
                                 const AfterNorm& after) {
  const at::Tensor& weight = conv->weight;
  if (c10::GradMode::is_enabled() || !isPlain(conv->options) || conv->bias.defined()) return {};
  if (const auto form = matrixForm(conv->options, weight, x)) {
    if (!pointwiseProductPays(x, form->rows(), weight)) return {};
    const auto epilogue = NormEpilogue::of(norm, after, form->map);
    if (!epilogue) return {};
    return form->mapOf(
        pointwiseProduct(form->pixelsOf(x), form->matrixOf(weight), epilogue->data()));
  }
  if (!keepsSize(conv->options) || !winogradPays(x, weight)) return {};
  const auto epilogue =
      NormEpilogue::of(norm, after, {x.size(0), weight.size(0), x.size(2), x.size(3)});
  return epilogue ? winogradConvolution(x, weight, epilogue->data()) : at::Tensor();
}

}  // namespace

at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x) {
  if (!isPlain(conv->options)) return conv(x);
  const at::Tensor& weight = conv->weight;
  if (const auto form = matrixForm(conv->options, weight, x)) {
    if (!conv->bias.defined() && pointwiseProductPays(x, form->rows(), weight))
      return form->mapOf(pointwiseProduct(form->pixelsOf(x), form->matrixOf(weight)));
    if (form->positions() <= kFewPositions) {
      const at::Tensor pixels = form->pixelsOf(x), matrix = form->matrixOf(weight).t();
      return form->mapOf(conv->bias.defined() ? at::addmm(conv->bias, pixels, matrix)
                                              : at::mm(pixels, matrix));
    }
  }
  if (keepsSize(conv->options) && winogradPays(x, weight)) return winogradConvolution(x, weight);
  const auto& padding = std::get<torch::ExpandingArray<2>>(conv->options.padding());
  return at::conv2d(x, weight, conv->bias, conv->options.stride(), padding);
}

at::Tensor convolveAndNormalize(torch::nn::Conv2d& conv,
                                torch::nn::BatchNorm2d& norm,
                                const at::Tensor& x,
                                const AfterNorm& after) {
  const at::Tensor y = convolvedWithEpilogue(conv, norm, x, after);
  return y.defined() ? activated(y, after) : applyNorm(norm, convolve(conv, x), after);
}

}  // namespace lambda
