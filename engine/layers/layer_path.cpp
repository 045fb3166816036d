#include "engine/layers/layer_path.h"

#include <algorithm>
#include <cmath>

#include <ATen/autocast_mode.h>

#include "engine/kernels/convolution/convolution_shape.h"
#include "engine/kernels/instruction_set.h"
#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "engine/kernels/products/matrix_products.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/values/architecture/mixers/lambda_mask.h"

namespace lambda {

namespace {

/// Most positions of the output at which a product of matrices is faster than oneDNN's convolution.
constexpr std::int64_t kFewPositions = 16;

/// Input channels with which oneDNN's filter gradient of a strided 1x1 convolution is right: as
/// many as a vector has lanes, here the most of any CPU. On channels-last maps of fewer, it writes
/// beyond its memory (issue 6035 of oneDNN).
constexpr std::int64_t kEnoughChannels = 16;

/// Most pixels of a map that is taken as a whole: its matrix grows with their square.
constexpr std::int64_t kMostPixels = 4;

/// Fewest maps that repay putting the matrix of whole maps together.
constexpr std::int64_t kFewestMaps = 64;

/// Fewest rows of pixels that repay packing the weights of a product.
constexpr std::int64_t kFewestPixels = 64;

/// Deepest query of the CUDA kernels.
constexpr std::int64_t kDeepestQuery = 64;

constexpr const char* kVectorBfloat16 = ", AVX-512 bfloat16";
constexpr const char* kAmxBfloat16 = ", AMX bfloat16";

std::optional<Element> elementIn(at::ScalarType type) {
  if (type == at::kFloat) return Element::float32;
  if (type == at::kBFloat16) return Element::bfloat16;
  return std::nullopt;
}

bool productPays(const ConvolutionSizes& sizes,
                 const MatrixForm& form,
                 const LayerInput& input,
                 const ComputeUnits& units) {
  return units.multipliesMatrices && !sizes.hasBias && form.rows() >= kFewestPixels &&
         input.isFloatRows() && sizes.outputDepth % kProductColumns == 0 &&
         sizes.inputDepth % kProductColumns == 0;
}

/// Whether LibTorch's product is taken instead of its convolution: because it is faster, or because
/// the convolution's gradient would be wrong.
bool isBetterAsProduct(const ConvolutionSizes& sizes, const MatrixForm& form) {
  return form.takesWholeMaps() || form.positions() <= kFewPositions ||
         (form.skipsPixels() && sizes.inputDepth < kEnoughChannels);
}

/// Whether the kernels for 3x3 convolutions that keep the map's size support the sizes.
bool isSameConvolution(const ConvolutionSizes& sizes) {
  using Sides = std::array<std::int64_t, 2>;
  return sizes.kernel == Sides{3, 3} && sizes.stride == Sides{1, 1} &&
         sizes.padding == Sides{1, 1} && !sizes.hasBias &&
         sizes.outputDepth % kConvolutionDepth == 0 && sizes.inputDepth % kConvolutionDepth == 0;
}

/// Whether Winograd's filtering needs clearly fewer multiplications than the plain sum, including
/// its transformations.
bool winogradSavesProducts(const ConvolutionSizes& sizes) {
  constexpr double kProductsOfTile = 36, kTileSide = 4;
  constexpr double kTransforms = 8;  // Cost of transforming a channel, in products.
  constexpr double kLeastGain = 1.25;
  constexpr double kFewestTiles = 32;  // Enough to repay transforming the filters.
  const auto height = static_cast<double>(sizes.height), width = static_cast<double>(sizes.width);
  const auto in = static_cast<double>(sizes.inputDepth),
             out = static_cast<double>(sizes.outputDepth);
  const double tiles = std::ceil(height / kTileSide) * std::ceil(width / kTileSide);
  const double products = kProductsOfTile * tiles * (in * out + kTransforms * (in + out));
  return tiles * static_cast<double>(sizes.images) >= kFewestTiles &&
         kLeastGain * products < 9 * height * width * in * out;
}

CoreShape coreShapeOf(const LambdaPlace& place) {
  const LambdaMixer& mixer = place.mixer;
  CoreShape shape;
  shape.images = place.images;
  shape.queries = shape.positions = place.map.positions();
  shape.intraDepth = mixer.intraDepth;
  shape.heads = mixer.multiHead ? 1 : mixer.heads;
  shape.queryDepth = mixer.queryDepth;
  shape.valueDepth = place.outputDepth / std::max(1, mixer.heads);
  shape.tableRows = embeddingRows(mixer, place.map);
  shape.hasContent = mixer.content && mixer.mask == ContextMask::none;
  return shape;
}

/// Whether a kernel can compute projections, norms and softmax together with the core.
bool fusesOperands(const LambdaPlace& place, const LayerInput& input) {
  const LambdaMixer& mixer = place.mixer;
  const bool normsChannels =
      mixer.normAxes == NormAxes::channels || (!mixer.normalizeQueries && !mixer.normalizeValues);
  const bool hasUsualKeys =
      !mixer.content ||
      (mixer.keyNormalization == KeyNormalization::softmax && mixer.mask == ContextMask::none);
  const bool isCast = input.type == Element::float32 && input.isAutocast;
  const bool weightFits =
      input.weight && (input.weight == Element::float32 || input.weight == input.type);
  return normsChannels && hasUsualKeys && !mixer.multiHead && !mixer.softmaxQueries &&
         !keepsPositionLambdas(mixer, place.map) && input.isPixelRows && !isCast && weightFits &&
         place.inputDepth % kOperandsDepth == 0 && place.normsFit;
}

}  // namespace

const ComputeUnits& ComputeUnits::ofCpu() {
  static const ComputeUnits units{matrixProductsPay(), fastestPairUnit(), false};
  return units;
}

ComputeUnits ComputeUnits::of(const c10::Device& device) {
  ComputeUnits units = ofCpu();
  units.hasCudaKernels = device.is_cuda() && cudaKernelsFor(device) != nullptr;
  return units;
}

LayerInput LayerInput::of(const at::Tensor& x, const at::Tensor& weight) {
  return {elementIn(x.scalar_type()),
          elementIn(weight.scalar_type()),
          x.is_cpu() && weight.is_cpu(),
          lambda::isPixelRows(x),
          at::autocast::is_autocast_enabled(at::kCPU)};
}

bool LayerInput::isFloat() const {
  return isOnCpu && type == Element::float32 && weight == Element::float32 && !isAutocast;
}

std::optional<MatrixForm> matrixFormOf(const ConvolutionSizes& sizes, const LayerInput& input) {
  const auto form = MatrixForm::of(sizes);
  if (!form || !form->takesWholeMaps()) return form;
  // In other types, LibTorch's convolution gives second derivatives.
  const bool repays =
      input.type && sizes.images >= kFewestMaps && sizes.height * sizes.width <= kMostPixels;
  return repays ? form : std::nullopt;
}

LayerPath convolutionPath(const ConvolutionSizes& sizes,
                          const LayerInput& input,
                          const ComputeUnits& units) {
  if (!sizes.isPlain || !input.isOnCpu) return {LayerKernel::library};
  if (const auto form = matrixFormOf(sizes, input)) {
    if (productPays(sizes, *form, input, units)) return {LayerKernel::product};
    if (isBetterAsProduct(sizes, *form)) return {LayerKernel::libraryProduct};
  }
  if (!isSameConvolution(sizes)) return {LayerKernel::library};
  if (input.isFloatRows() && winogradSavesProducts(sizes)) return {LayerKernel::winograd};
  const bool isRounded = input.type == Element::bfloat16 && input.weight == Element::bfloat16;
  if (isRounded && input.isPixelRows && units.pairUnit == PairUnit::matrices)
    return {LayerKernel::amxConvolution};
  return {LayerKernel::library};
}

LayerPath lambdaPath(const LambdaPlace& place, const LayerInput& input, const ComputeUnits& units) {
  const LambdaMixer& mixer = place.mixer;
  const bool mayRound = input.type == Element::bfloat16;
  LayerPath path;
  path.fusesOperands = fusesOperands(place, input);
  path.sumsCausally = mixer.content && mixer.mask == ContextMask::causal && input.isFloat();
  const bool hasCore = mixer.mask == ContextMask::none || !mixer.content ||
                       mixer.embedding != PositionEmbedding::none;
  if (!hasCore) return path;
  if (!input.isOnCpu) {
    const bool fits = units.hasCudaKernels && fitsCudaCore(input.type, mixer.queryDepth);
    path.kernel = plainCore(place);
    if (fits && path.kernel == LayerKernel::library) path.kernel = LayerKernel::cudaCore;
    return path;
  }
  if (!input.type) {
    path.kernel = plainCore(place);
    return path;
  }
  if (keepsPositionLambdas(mixer, place.map)) {
    path.kernel = LayerKernel::lambdaConvolution;
    return path;
  }
  const LocalWindow window{place.map.height, place.map.width, mixer.scope};
  const bool isMasked = mixer.mask != ContextMask::none;
  const bool leavesOut =
      mixer.scope > 0 && window.reach() + 1 < std::max(place.map.height, place.map.width);
  CoreShape shape = coreShapeOf(place);
  if (shape.tableRows > 0 && !isMasked && takesWindow(window)) shape.window = window;
  if (shape.window || (shape.tableRows > 0 && (isMasked || leavesOut))) {
    path.kernel = shape.window ? LayerKernel::windowCore : LayerKernel::floatCore;
    return path;
  }
  path.kernel = coreKernel(shape, nullptr, mayRound, units);
  if (place.isPooled && path.fusesOperands) {
    shape.pooling = OutputPooling{place.map.height, place.map.width};
    path.takesMeans = takesMeans(shape, nullptr, mayRound, units);
  }
  return path;
}

LayerKernel plainCore(const LambdaPlace& place) {
  if (!canConvolvePositions(place.mixer)) return LayerKernel::library;
  const LambdaMixer& mixer = place.mixer;
  const long long n = place.map.positions();
  const long long k = mixer.queryDepth;
  const long long h = mixer.heads;
  const long long v = place.outputDepth / std::max(1LL, h);
  const long long local =
      static_cast<long long>(mixer.scope) * mixer.scope * mixer.intraDepth * k * v + h * k * v;
  const long long dense = n * mixer.intraDepth * h * (k + v);
  return local < dense ? LayerKernel::lambdaConvolution : LayerKernel::library;
}

bool fitsCudaCore(std::optional<Element> queries, std::int64_t queryDepth) {
  return queries && queryDepth <= kDeepestQuery;
}

bool takesWindow(const LocalWindow& window) {
  const std::int64_t longest = std::max(window.mapHeight, window.mapWidth);
  if (window.scope <= 0 || window.reach() + 1 >= longest) return false;
  return windowSavesProducts(window) ||
         hasTooManyPairs(
             {1, static_cast<int>(window.mapHeight), static_cast<int>(window.mapWidth)});
}

LayerKernel coreKernel(const CoreShape& shape,
                       const std::int32_t* tableRowOf,
                       bool mayRound,
                       const ComputeUnits& units) {
  if (shape.window) return LayerKernel::windowCore;
  if (mayRound && units.pairUnit && fitsBfloat16Core(shape, tableRowOf)) {
    return *units.pairUnit == PairUnit::matrices ? LayerKernel::amxCore : LayerKernel::vectorCore;
  }
  return LayerKernel::floatCore;
}

bool takesMeans(const CoreShape& shape,
                const std::int32_t* tableRowOf,
                bool mayRound,
                const ComputeUnits& units) {
  CoreShape unpooled = shape;
  unpooled.pooling.reset();
  const LayerKernel kernel = coreKernel(unpooled, tableRowOf, mayRound, units);
  return kernel == LayerKernel::floatCore && poolsOutputs(shape, tableRowOf);
}

std::string instructionsText(const ComputeUnits& units) {
  std::string text = instructionSetName();
  if (units.pairUnit == PairUnit::vectors) text += kVectorBfloat16;
  if (units.pairUnit == PairUnit::matrices) text += kAmxBfloat16;
  return text;
}

std::string runningSumsText(bool hasKernel) {
  return hasKernel ? "own kernel, running sums, " + instructionSetName() : "LibTorch";
}

std::string textOf(const LayerPath& path, const LayerInput& input) {
  const std::string own = path.fusesOperands ? "own kernels for the whole layer" : "own kernel";
  const std::string means = path.takesMeans ? ", means of scores" : "";
  // These cores compute in float32, whatever the type of their operands is.
  const std::string inFloat = input.type == Element::bfloat16 ? ", core in float32" : "";
  switch (path.kernel) {
    case LayerKernel::library:
      return "LibTorch";
    case LayerKernel::libraryProduct:
      return "LibTorch, as a product of matrices";
    case LayerKernel::product:
      return "own product of matrices, " + instructionSetName();
    case LayerKernel::winograd:
      return "own kernel, Winograd, " + instructionSetName();
    case LayerKernel::lambdaConvolution:
      return "LibTorch, as a lambda convolution";
    case LayerKernel::floatCore:
      return own + ", " + instructionSetName() + inFloat + means;
    case LayerKernel::windowCore:
      return own + ", window, " + instructionSetName() + inFloat;
    case LayerKernel::vectorCore:
      return own + kVectorBfloat16;
    case LayerKernel::amxConvolution:
    case LayerKernel::amxCore:
      return own + kAmxBfloat16;
    case LayerKernel::cudaCore:
      return "own kernel, CUDA";
  }
  return {};
}

}  // namespace lambda
