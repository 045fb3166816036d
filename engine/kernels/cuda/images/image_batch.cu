// Batches of images. One thread reads and writes all channels of one position.

#include "engine/kernels/cuda/blocks.cuh"
#include "engine/kernels/cuda/formats.cuh"
#include "engine/kernels/cuda/images/image_batch.cuh"
#include "engine/kernels/cuda/launch.cuh"
#include "engine/kernels/cuda/outcome.cuh"

namespace lambda::cuda {

namespace {

constexpr int kThreads = kMostWarps * kWarpSize;

/// Mirrors a coordinate beyond the map back into it, without repeating the edge. It must be beyond
/// by less than `size`.
__device__ __forceinline__ int reflected(int place, int size) {
  if (place < 0) return -place;
  return place < size ? place : 2 * size - 2 - place;
}

__device__ __forceinline__ bool isInside(int place, int size) {
  return place >= 0 && place < size;
}

/// The source of position (x, y) of an image of the batch.
struct Source {
  __device__ __forceinline__ Source(const CudaImageBatch& batch,
                                    const CudaImageDraw& draw,
                                    int x,
                                    int y) {
    const int column = (draw.flip != 0 ? batch.width - 1 - x : x) + draw.shiftX;
    const int row = y + draw.shiftY;
    const int left = draw.cutoutX - batch.cutoutSize / 2;
    const int top = draw.cutoutY - batch.cutoutSize / 2;
    isCut = isInside(x - left, batch.cutoutSize) && isInside(y - top, batch.cutoutSize);
    isBlack = !batch.isMirrored && !(isInside(column, batch.width) && isInside(row, batch.height));
    position = reflected(row, batch.height) * batch.width + reflected(column, batch.width);
  }

  bool isCut;
  bool isBlack;  ///< Beyond the image, without mirroring.
  int position;  ///< In the image of the set: row * width + column.
};

template <class Format>
__global__ void __launch_bounds__(kThreads)
    imageBatchKernel(const __grid_constant__ CudaImageBatch batch) {
  using Value = typename Format::Value;
  const int plane = batch.height * batch.width;
  const unsigned blocksOfImage = static_cast<unsigned>(ceilDivide(plane, kThreads));
  const std::int64_t image = blockIdx.x / blocksOfImage;
  const int position = static_cast<int>(blockIdx.x % blocksOfImage * kThreads + threadIdx.x);
  CudaImageDraw draw;
  std::int64_t index = batch.first + image;
  if (batch.draws != nullptr) {
    draw = batch.draws[image];
    index = draw.index;
  }
  if (position == 0) batch.outLabels[image] = batch.labels[index];
  if (position >= plane) return;

  const Source source(batch, draw, position % batch.width, position / batch.width);
  const std::uint8_t* const pixels = batch.pixels + index * batch.channels * plane;
  auto* const out = static_cast<Value*>(batch.out) + image * batch.channels * plane;
  for (int c = 0; c < batch.channels; ++c) {
    const int byte = source.isBlack ? 0 : __ldg(pixels + (c * plane + source.position));
    const float value =
        __fadd_rn(__fmul_rn(static_cast<float>(byte), batch.scale[c]), batch.shift[c]);
    const int to = batch.isChannelsLast ? position * batch.channels + c : c * plane + position;
    out[to] = Format::round(source.isCut && batch.draws != nullptr ? 0.0F : value);
  }
}

/// Why the kernel can't take the batch; null if it can.
const char* findInvalidInput(const CudaImageBatch& batch) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 30;
  if (batch.images < 0 || batch.first < 0 || batch.height < 1 || batch.width < 1)
    return "a size or an index is out of range";
  if (batch.channels < 1 || batch.channels > kMostImageChannels)
    return "images must have 1 to 4 channels";
  if (std::int64_t{batch.height} * batch.width > kMostElements / kMostImageChannels)
    return "an image has more than 2^30 elements";
  if (batch.cutoutSize < 0) return "the cutout is negative";
  if (batch.images > 0 && (batch.pixels == nullptr || batch.labels == nullptr ||
                           batch.out == nullptr || batch.outLabels == nullptr)) {
    return "pixels or labels are missing";
  }
  return nullptr;
}

}  // namespace

CudaOutcome makeImageBatch(const CudaImageBatch& batch, const CudaQueue& queue) {
  const char* misfit = findInvalidInput(batch);
  if (misfit != nullptr) return {-1, misfit};
  const cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const std::int64_t blocks = batch.images * ceilDivide(batch.height * batch.width, kThreads);
  return outcomeOf(launch(batch.element == Element::float32 ? imageBatchKernel<Float32Format>
                                                            : imageBatchKernel<Bfloat16Format>,
                          blocks,
                          kMostWarps,
                          0,
                          static_cast<cudaStream_t>(queue.stream),
                          batch));
}

}  // namespace lambda::cuda
