// The host side of the plugin: checks the operands of the lambda core, lays out its workspace and
// queues its kernels. The algebra and the design of the kernels are on the page in
// engine/kernels/lambda_core/lambda_core_kernel.h; the kernels are in core/.

#include <algorithm>
#include <initializer_list>

#include "engine/kernels/cuda/core/passes.cuh"
#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/kernels/cuda/formats.cuh"
#include "engine/kernels/cuda/images/image_batch.cuh"
#include "engine/kernels/cuda/outcome.cuh"
#include "engine/kernels/cuda/update/weight_update.cuh"
#include "engine/kernels/cuda/wkv/wkv.cuh"

namespace lambda::cuda {

namespace {

constexpr std::int64_t kDeepestQuery = 64;

/// Most elements of an image, of the table and of the pairs, whose offsets have 32 bits in kernels.
constexpr std::int64_t kMostElements = std::int64_t{1} << 30;

constexpr std::int64_t kWorkspaceAlignment = 256;

/// Blocks of the embeddings' gradient that fill a large GPU. More shares of the images than that
/// needs would only be more to add up. A constant, so that all GPUs add in the same order.
constexpr std::int64_t kEmbeddingBlocks = 256;

/// The number of shares of the images for the gradient of E, from the shape alone.
int imageSplitsOf(const CoreShape& shape) {
  const std::int64_t blocks = ceilDivide(shape.queries, std::int64_t{kGroup}) *
                              ceilDivide(shape.contextRows(), std::int64_t{kContextTile}) *
                              ceilDivide(shape.queryDepth, std::int64_t{16});
  const std::int64_t works = ceilDivide(shape.images, std::int64_t{kGroup}) *
                             ceilDivide(shape.heads, std::int64_t{kGroup});
  const std::int64_t most = std::max<std::int64_t>(1, ceilDivide(works, std::int64_t{kMostWarps}));
  return static_cast<int>(std::clamp<std::int64_t>(kEmbeddingBlocks / blocks, 1, most));
}

/// Offsets in bytes of the parts of the workspace.
struct WorkspaceLayout {
  WorkspaceLayout(const CoreShape& shape, Element element) {
    const std::int64_t elementBytes = element == Element::float32 ? 4 : 2;
    const bool hasPositions = shape.tableRows > 0;
    const std::int64_t embeddings = shape.queries * shape.contextRows() * shape.queryDepth;
    const std::int64_t values = shape.images * shape.contextRows() * shape.valueDepth;
    const std::int64_t lambdas = shape.images * shape.queryDepth * shape.valueDepth;
    embeddingShares = take(hasPositions ? imageSplitsOf(shape) * embeddings * 4 : 0);
    dPositionValues = take(hasPositions && shape.hasContent ? values * 4 : 0);
    dContentLambdas = take(shape.hasContent ? lambdas * elementBytes : 0);
  }

  std::int64_t take(std::int64_t size) {
    const std::int64_t begin = bytes;
    bytes += ceilDivide(size, kWorkspaceAlignment) * kWorkspaceAlignment;
    return begin;
  }

  std::int64_t bytes = 0;
  std::int64_t embeddingShares = 0, dPositionValues = 0, dContentLambdas = 0;
};

/// Whether the product of the factors is at most kMostElements.
bool isFew(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor > kMostElements || product * factor > kMostElements) return false;
    product *= factor;
  }
  return true;
}

/// Why the kernels can't take the inputs; null if they can.
const char* findInvalidInput(const CudaCoreInputs& inputs) {
  const CoreShape& shape = inputs.shape;
  const bool hasPositions = shape.tableRows > 0;
  if (shape.queryDepth < 1 || shape.queryDepth > kDeepestQuery) return "k must be from 1 to 64";
  if (shape.queries < 1 || shape.positions < 1 || shape.intraDepth < 1 || shape.heads < 1 ||
      shape.valueDepth < 1 || shape.images < 0 || shape.tableRows < 0) {
    return "a size is not positive";
  }
  if (!hasPositions && !shape.hasContent) return "there are neither keys nor a table";
  const bool isCountable = isFew({shape.images}) &&
                           isFew({shape.queries, shape.heads, shape.queryDepth}) &&
                           isFew({shape.queries, shape.heads, shape.valueDepth}) &&
                           isFew({shape.positions, shape.intraDepth, shape.queryDepth}) &&
                           isFew({shape.positions, shape.intraDepth, shape.valueDepth}) &&
                           isFew({shape.tableRows, shape.intraDepth, shape.queryDepth}) &&
                           isFew({shape.queries, shape.positions});
  if (!isCountable) return "an image, the table or the pairs have more than 2^30 elements";
  if (shape.images > 0 && (inputs.queries == nullptr || inputs.values == nullptr))
    return "queries or values are missing";
  if (hasPositions && (inputs.table == nullptr || inputs.tableRowOf == nullptr))
    return "the table or its rows are missing";
  if (shape.images > 0 && shape.hasContent &&
      (inputs.keys == nullptr || inputs.contentLambdas == nullptr)) {
    return "keys or content lambdas are missing";
  }
  return nullptr;
}

template <class Value>
CoreArguments<Value> argumentsOf(const CudaCoreInputs& inputs) {
  const CoreShape& shape = inputs.shape;
  CoreArguments<Value> core;
  core.images = static_cast<int>(shape.images);
  core.queries = static_cast<int>(shape.queries);
  core.heads = static_cast<int>(shape.heads);
  core.positions = static_cast<int>(shape.positions);
  core.intraDepth = static_cast<int>(shape.intraDepth);
  core.queryDepth = static_cast<int>(shape.queryDepth);
  core.valueDepth = static_cast<int>(shape.valueDepth);
  core.context = static_cast<int>(shape.contextRows());
  core.embeddedContext = shape.tableRows > 0 ? core.context : 0;
  core.tableRows = static_cast<int>(shape.tableRows);
  core.hasContent = shape.hasContent;
  core.hasWindow = inputs.pairCount < shape.queries * shape.positions;
  core.q = static_cast<const Value*>(inputs.queries);
  core.keys = static_cast<const Value*>(inputs.keys);
  core.values = static_cast<const Value*>(inputs.values);
  core.table = static_cast<const Value*>(inputs.table);
  core.tableRowOf = inputs.tableRowOf;
  core.contentLambdas = static_cast<Value*>(inputs.contentLambdas);
  return core;
}

template <class Value>
bool areAligned(std::initializer_list<const Value*> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Value* operand) {
    return reinterpret_cast<std::uintptr_t>(operand) % (4 * sizeof(Value)) == 0;
  });
}

template <class Format>
cudaError_t forwardAs(const CudaCoreInputs& inputs, void* y, cudaStream_t stream) {
  using Value = typename Format::Value;
  CoreArguments<Value> core = argumentsOf<Value>(inputs);
  core.y = static_cast<Value*>(y);
  const bool isAligned =
      areAligned<Value>({core.q, core.keys, core.values, core.table, core.contentLambdas, core.y});
  return forward<Format>(core, isAligned, stream);
}

template <class Format>
cudaError_t backwardAs(const CudaCoreInputs& inputs,
                       const CudaPairIndex& index,
                       const void* dy,
                       const CudaCoreGradients& gradients,
                       void* workspace,
                       cudaStream_t stream) {
  using Value = typename Format::Value;
  CoreArguments<Value> core = argumentsOf<Value>(inputs);
  core.dy = static_cast<const Value*>(dy);
  core.dq = static_cast<Value*>(gradients.queries);
  core.dKeys = static_cast<Value*>(gradients.keys);
  core.dValues = static_cast<Value*>(gradients.values);
  core.dTable = gradients.table;
  core.pairs = index.pairs;
  core.pairStarts = index.starts;
  const WorkspaceLayout layout(inputs.shape, inputs.element);
  auto* const bytes = static_cast<std::byte*>(workspace);
  core.imageSplits = imageSplitsOf(inputs.shape);
  core.embeddingShares = reinterpret_cast<float*>(bytes + layout.embeddingShares);
  core.dPositionValues = reinterpret_cast<float*>(bytes + layout.dPositionValues);
  core.dContentLambdas = reinterpret_cast<Value*>(bytes + layout.dContentLambdas);
  const bool isAligned = areAligned<Value>({core.q,
                                            core.keys,
                                            core.values,
                                            core.table,
                                            core.contentLambdas,
                                            core.dy,
                                            core.dq,
                                            core.dKeys,
                                            core.dValues});
  return backward<Format>(core, isAligned, stream);
}

CudaOutcome checkDevice(int device) {
  int major = 0;
  const cudaError_t error =
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error != cudaSuccess) return outcomeOf(error);
  if (major < 8) return {-1, "the GPU's compute capability is below 8.0"};
  return {};
}

CudaOutcome runForward(const CudaCoreInputs& inputs, void* y, const CudaQueue& queue) {
  const char* misfit = findInvalidInput(inputs);
  if (misfit != nullptr) return {-1, misfit};
  const cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  return outcomeOf(inputs.element == Element::float32
                       ? forwardAs<Float32Format>(inputs, y, stream)
                       : forwardAs<Bfloat16Format>(inputs, y, stream));
}

std::int64_t workspaceBytes(const CoreShape& shape, Element element) {
  return WorkspaceLayout(shape, element).bytes;
}

CudaOutcome runBackward(const CudaCoreInputs& inputs,
                        const CudaPairIndex& index,
                        const void* dy,
                        const CudaCoreGradients& gradients,
                        void* workspace,
                        const CudaQueue& queue) {
  const char* misfit = findInvalidInput(inputs);
  if (misfit != nullptr) return {-1, misfit};
  if (inputs.shape.tableRows > 0 && (index.pairs == nullptr || index.starts == nullptr))
    return {-1, "the pairs of the table's rows are missing"};
  const cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  return outcomeOf(
      inputs.element == Element::float32
          ? backwardAs<Float32Format>(inputs, index, dy, gradients, workspace, stream)
          : backwardAs<Bfloat16Format>(inputs, index, dy, gradients, workspace, stream));
}

constexpr CudaKernels kKernels{kCudaKernelsVersion,
                               checkDevice,
                               runForward,
                               workspaceBytes,
                               runBackward,
                               makeImageBatch,
                               updateWeights,
                               wkvForward,
                               wkvBackward};

}  // namespace

}  // namespace lambda::cuda

extern "C" __attribute__((visibility("default"))) const lambda::CudaKernels* lambdaCudaKernels() {
  return &lambda::cuda::kKernels;
}
