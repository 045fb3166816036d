#include "engine/layers/convolution/convolve.h"

#include "engine/layers/convolution/matrix_form.h"
#include "engine/layers/convolution/norm_epilogue.h"
#include "engine/layers/convolution/pointwise_product.h"
#include "engine/layers/convolution/same_convolution.h"
#include "engine/layers/norm/activation.h"

namespace lambda {

namespace {

/// Most positions of the output at which a product of matrices is faster than oneDNN's convolution.
constexpr std::int64_t kFewPositions = 16;

/// Input channels with which oneDNN's filter gradient of a strided 1x1 convolution is right: as
/// many as a vector has lanes, here the most of any CPU. On channels-last maps of fewer, it writes
/// beyond its memory (issue 6035 of oneDNN).
constexpr std::int64_t kEnoughChannels = 16;

/// Whether the options are those that convolve() handles: no groups, no dilation, zero padding.
bool isPlain(const torch::nn::detail::ConvNdOptions<2>& options) {
  return options.groups() == 1 && options.dilation()->at(0) == 1 &&
         options.dilation()->at(1) == 1 &&
         std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode()) &&
         std::holds_alternative<torch::ExpandingArray<2>>(options.padding());
}

/// Whether stride and padding are 1, as a 3x3 kernel needs to keep the map's size, without a bias.
bool keepsSize(const torch::nn::detail::ConvNdOptions<2>& options) {
  const auto& padding = std::get<torch::ExpandingArray<2>>(options.padding());
  return *options.stride() == std::array<std::int64_t, 2>{1, 1} &&
         *padding == std::array<std::int64_t, 2>{1, 1} && !options.bias();
}

/// Whether LibTorch's product is taken instead of its convolution: because it is faster, or because
/// the convolution's gradient would be wrong.
bool isBetterAsProduct(const MatrixForm& form, const at::Tensor& weight) {
  return form.takesWholeMaps() || form.positions() <= kFewPositions ||
         (form.skipsPixels() && weight.size(1) < kEnoughChannels);
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
  if (const auto form = MatrixForm::of(conv->options, weight, x)) {
    if (!pointwiseProductPays(x, form->rows(), weight)) return {};
    const auto epilogue = NormEpilogue::of(norm, after, form->map(), form->positionsOfRow());
    if (!epilogue) return {};
    return form->mapOf(
        pointwiseProduct(form->pixelsOf(x), form->matrixOf(weight), epilogue->data()));
  }
  if (!keepsSize(conv->options) || !sameConvolutionPays(x, weight) || !hasConvolutionEpilogue(x))
    return {};
  const auto epilogue =
      NormEpilogue::of(norm, after, {x.size(0), weight.size(0), x.size(2), x.size(3)});
  return epilogue ? sameConvolution(x, weight, epilogue->data()) : at::Tensor();
}

}  // namespace

at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x) {
  if (!isPlain(conv->options)) return conv(x);
  const at::Tensor& weight = conv->weight;
  if (const auto form = MatrixForm::of(conv->options, weight, x)) {
    if (!conv->bias.defined() && pointwiseProductPays(x, form->rows(), weight))
      return form->mapOf(pointwiseProduct(form->pixelsOf(x), form->matrixOf(weight)));
    if (isBetterAsProduct(*form, weight)) {
      const at::Tensor pixels = form->pixelsOf(x), matrix = form->matrixOf(weight).t();
      if (!conv->bias.defined()) return form->mapOf(at::mm(pixels, matrix));
      const at::Tensor bias = conv->bias.repeat({form->positionsOfRow()});
      return form->mapOf(at::addmm(bias, pixels, matrix));
    }
  }
  if (keepsSize(conv->options) && sameConvolutionPays(x, weight)) return sameConvolution(x, weight);
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
