#include "engine/layers/convolution/convolve.h"

#include "engine/layers/convolution/norm_epilogue.h"
#include "engine/layers/convolution/pointwise_product.h"
#include "engine/layers/convolution/same_convolution.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/linear_product.h"
#include "engine/layers/norm/activation.h"

namespace lambda {

namespace {

/// Whether the options are those that convolve() handles: no groups, no dilation, zero padding.
bool isPlain(const torch::nn::detail::ConvNdOptions<2>& options) {
  return options.groups() == 1 && options.dilation()->at(0) == 1 &&
         options.dilation()->at(1) == 1 &&
         std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode()) &&
         std::holds_alternative<torch::ExpandingArray<2>>(options.padding());
}

ConvolutionSizes sizesOf(const torch::nn::Conv2d& conv, const at::Tensor& x) {
  ConvolutionSizes sizes = ConvolutionSizes::of(x, conv->weight);
  sizes.stride = *conv->options.stride();
  sizes.padding = *std::get<torch::ExpandingArray<2>>(conv->options.padding());
  sizes.hasBias = conv->bias.defined();
  return sizes;
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
  if (c10::GradMode::is_enabled() || !isPlain(conv->options) || x.dim() != 4) return {};
  const at::Tensor& weight = conv->weight;
  const ConvolutionSizes sizes = sizesOf(conv, x);
  const LayerInput input = LayerInput::of(x, weight);
  const LayerKernel kernel = convolutionPath(sizes, input).kernel;
  if (kernel == LayerKernel::product) {
    const MatrixForm form = matrixFormOf(sizes, input).value();
    const auto epilogue = NormEpilogue::of(norm, after, form.map(), form.positionsOfRow());
    if (!epilogue) return {};
    return form.mapOf(pointwiseProduct(form.pixelsOf(x), form.matrixOf(weight), epilogue->data()));
  }
  if (kernel != LayerKernel::winograd) return {};
  const auto epilogue =
      NormEpilogue::of(norm, after, {x.size(0), weight.size(0), x.size(2), x.size(3)});
  return epilogue ? sameConvolution(x, weight, epilogue->data()) : at::Tensor();
}

/// The product of pixels and filters, with the bias if there is one.
at::Tensor libraryProduct(torch::nn::Conv2d& conv, const MatrixForm& form, const at::Tensor& x) {
  const at::Tensor bias =
      conv->bias.defined() ? conv->bias.repeat({form.positionsOfRow()}) : at::Tensor();
  return form.mapOf(linearProduct(form.pixelsOf(x), form.matrixOf(conv->weight), bias));
}

}  // namespace

at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x) {
  if (!isPlain(conv->options) || x.dim() != 4) return conv(x);
  const at::Tensor& weight = conv->weight;
  const ConvolutionSizes sizes = sizesOf(conv, x);
  const LayerInput input = LayerInput::of(x, weight);
  switch (convolutionPath(sizes, input).kernel) {
    case LayerKernel::product: {
      const MatrixForm form = matrixFormOf(sizes, input).value();
      return form.mapOf(pointwiseProduct(form.pixelsOf(x), form.matrixOf(weight)));
    }
    case LayerKernel::libraryProduct:
      return libraryProduct(conv, matrixFormOf(sizes, input).value(), x);
    case LayerKernel::winograd:
    case LayerKernel::amxConvolution:
      return sameConvolution(x, weight);
    default:
      return at::conv2d(x, weight, conv->bias, sizes.stride, sizes.padding);
  }
}

at::Tensor convolveAndNormalize(torch::nn::Conv2d& conv,
                                torch::nn::BatchNorm2d& norm,
                                const at::Tensor& x,
                                const AfterNorm& after) {
  const at::Tensor y = convolvedWithEpilogue(conv, norm, x, after);
  return y.defined() ? activated(y, after) : applyNorm(norm, convolve(conv, x), after);
}

}  // namespace lambda
