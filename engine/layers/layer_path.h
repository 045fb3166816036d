#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "engine/kernels/element.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "engine/layers/convolution/matrix_form.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

// Which kernel computes a layer, from its shape, its precision and the machine. The modules ask
// these functions before they compute, and `lambda describe --paths` shows what they answer.

/// What computes a convolution or a lambda core.
enum class LayerKernel {
  library,            ///< Operations of LibTorch; a lambda core in attention order.
  libraryProduct,     ///< A convolution as LibTorch's product of matrices.
  product,            ///< A convolution as a product of kernels/products/matrix_products.h.
  winograd,           ///< kernels/convolution/winograd_kernel.h
  amxConvolution,     ///< kernels/convolution/amx_convolution.h
  lambdaConvolution,  ///< Position lambdas by LibTorch's convolution (paper, section 3.4).
  floatCore,          ///< kernels/lambda_core/lambda_core_kernel.h
  windowCore,         ///< The same for the pairs inside a window.
  vectorCore,         ///< kernels/lambda_core/bfloat16 by the dot products of AVX-512 BF16.
  amxCore,            ///< kernels/lambda_core/bfloat16 by the matrix unit of AMX.
  cudaCore,           ///< kernels/cuda/core
};

struct LayerPath {
  LayerKernel kernel = LayerKernel::library;
  /// Lambda layers: projections, norms and softmax by kernels/lambda_operands, image by image.
  bool fusesOperands = false;
  /// Lambda layers before a pooling: the core's kernel takes the means.
  bool takesMeans = false;
  /// Lambda layers with a causal mask: the content lambdas by kernels/causal_lambda, else by
  /// LibTorch. `kernel` is then that of the position lambdas.
  bool sumsCausally = false;

  bool operator==(const LayerPath&) const = default;
};

/// What the choice depends on of a machine.
struct ComputeUnits {
  bool multipliesMatrices = false;        ///< matrixProductsPay()
  std::optional<PairUnit> pairUnit = {};  ///< fastestPairUnit()
  bool hasCudaKernels = false;            ///< Those of the plugin can be used on the GPU.

  /// Those of this CPU, without a GPU.
  static const ComputeUnits& ofCpu();

  /// Those for tensors on the device. The first call for a GPU opens the plugin.
  static ComputeUnits of(const c10::Device& device);
};

/// The precision and the memory in which a layer finds its input and weights.
struct LayerInput {
  std::optional<Element> type = Element::float32;    ///< None: another type.
  std::optional<Element> weight = Element::float32;  ///< Type of the weights.
  bool isOnCpu = true;
  bool isPixelRows = true;  ///< See isPixelRows().
  bool isAutocast = false;  ///< Autocast is enabled on the CPU.

  static LayerInput of(const at::Tensor& x, const at::Tensor& weight);

  /// Whether the own kernels compute in float32: on the CPU, outside autocast.
  bool isFloat() const;

  /// The same where they read the input as rows of pixels.
  bool isFloatRows() const { return isFloat() && isPixelRows; }
};

LayerPath convolutionPath(const ConvolutionSizes& sizes,
                          const LayerInput& input,
                          const ComputeUnits& units = ComputeUnits::ofCpu());

/// The form in which LayerKernel::product and libraryProduct compute a convolution; none if it has
/// no form, or the form does not repay for its sizes and type.
std::optional<MatrixForm> matrixFormOf(const ConvolutionSizes& sizes, const LayerInput& input);

/// A lambda layer at its place in a network.
struct LambdaPlace {
  const LambdaMixer& mixer;
  std::int64_t images = 0;
  std::int64_t inputDepth = 0;
  std::int64_t outputDepth = 0;
  MapShape map = {};      ///< Its height and width.
  bool isPooled = false;  ///< An average pooling follows.
  /// The norms have the form that kernels know, agree where their statistics come from, and have
  /// more than one pixel.
  bool normsFit = true;
};

/// `units`: those for the device of the input.
LayerPath lambdaPath(const LambdaPlace& place, const LayerInput& input, const ComputeUnits& units);

/// How plain operations compute the core: by the lambda convolution where that takes fewer
/// multiply-adds.
LayerKernel plainCore(const LambdaPlace& place);

/// Whether the CUDA kernels can compute a core with queries of that type and depth.
bool fitsCudaCore(std::optional<Element> queries, std::int64_t queryDepth);

/// Whether the CPU's core takes its kernel for windows: where that saves products, and where a
/// table of all pairs would be too much memory.
bool takesWindow(const LocalWindow& window);

/// The kernel of the CPU for a core. `mayRound`: whether output and operands may be rounded to
/// bfloat16. `tableRowOf`: that of CoreInputs; null where all queries see all positions.
LayerKernel coreKernel(const CoreShape& shape,
                       const std::int32_t* tableRowOf,
                       bool mayRound,
                       const ComputeUnits& units = ComputeUnits::ofCpu());

/// Whether that kernel can take the means of the outputs of a core that has a pooling. The kernels
/// for bfloat16 have none.
bool takesMeans(const CoreShape& shape,
                const std::int32_t* tableRowOf,
                bool mayRound,
                const ComputeUnits& units = ComputeUnits::ofCpu());

/// "AVX-512, AMX bfloat16": the instructions that the kernels use on this CPU.
std::string instructionsText(const ComputeUnits& units = ComputeUnits::ofCpu());

/// What computes the sums over the positions so far, in words.
std::string runningSumsText(bool hasKernel);

/// The path in words: "own kernel, AVX-512 bfloat16", "LibTorch".
std::string textOf(const LayerPath& path, const LayerInput& input);

}  // namespace lambda
