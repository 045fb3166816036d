#include "engine/kernels/convolution/amx_convolution.h"

#include "engine/kernels/convolution/amx_filter_gradient.h"

namespace lambda {

#if defined(__x86_64__)

namespace {

/// Bytes of the operands that one thread makes and then multiplies, within its second-level cache.
constexpr std::int64_t kBytesOfThread = 3 << 18;

/// Pixels whose products are summed without going back to memory, in the gradient of filters.
constexpr std::int64_t kPixelsOfGradient = 512;

/// Bands are fewer than these only if images are few and small.
constexpr std::int64_t kFewestBands = 8;

/// How many bands of at most `pixels` pixels have about that many together.
std::int64_t bandsOf(const ConvolutionShape& shape, const Bands& bands, std::int64_t pixels) {
  const std::int64_t most = std::max<std::int64_t>(1, bands.count());
  return std::clamp<std::int64_t>(pixels / (bands.rows() * shape.width), 1, most);
}

void convolve(const ConvolutionShape& shape,
              const Bfloat16* x,
              const AmxFilters& filters,
              Bfloat16* y,
              const ParallelFor& parallelFor) {
  const std::int64_t all = shape.images * shape.height * shape.width;
  const std::int64_t bytesOfPixel = kTapRows * filters.steps * 2 * kAmxPairs * 2;
  const std::int64_t pixels =
      std::clamp(kBytesOfThread / bytesOfPixel, kAmxRows, std::max(kAmxRows, all / kFewestBands));
  const Bands bands(shape, pixels);
  const std::int64_t together = bandsOf(shape, bands, pixels);
  parallelFor((bands.count() + together - 1) / together, [&](std::int64_t begin, std::int64_t end) {
    AmxBandProducts products(shape, bands, together, filters);
    for (std::int64_t i = begin; i < end; ++i) products.convolve(i * together, x, y);
  });
}

/// Writes the gradient [taps, inputDepth] of one filter.
LAMBDA_AMX void writeFilter(const ConvolutionShape& shape,
                            const GradientParts& parts,
                            std::int64_t filter,
                            Bfloat16* gradient) {
  for (std::int64_t tap = 0; tap < kTapCount; ++tap) {
    for (std::int64_t block = 0; block < parts.blocks; ++block) {
      alignas(64) float sums[kSquareColumns] = {};
      parts.addTo(sums, filter, tap, block);
      const std::int64_t first = block * kSquareColumns;
      roundRun(sums,
               std::min(kSquareColumns, shape.inputDepth - first),
               gradient + tap * shape.inputDepth + first);
    }
  }
}

}  // namespace

void convolveByAmx(const ConvolutionShape& shape,
                   const Bfloat16* x,
                   const Bfloat16* filters,
                   Bfloat16* y,
                   const ParallelFor& parallelFor) {
  AmxFilters operand(shape.inputDepth, shape.outputDepth);
  parallelFor(operand.blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) operand.take(filters, block);
  });
  convolve(shape, x, operand, y, parallelFor);
}

void amxInputGradient(const ConvolutionShape& shape,
                      const Bfloat16* dy,
                      const Bfloat16* filters,
                      Bfloat16* dx,
                      const ParallelFor& parallelFor) {
  AmxFilters operand(shape.outputDepth, shape.inputDepth);
  parallelFor(operand.blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) operand.takeReversed(filters, block);
  });
  ConvolutionShape back = shape;
  std::swap(back.inputDepth, back.outputDepth);
  convolve(back, dy, operand, dx, parallelFor);
}

void amxFilterGradient(const ConvolutionShape& shape,
                       const Bfloat16* x,
                       const Bfloat16* dy,
                       Bfloat16* filterGradient,
                       const ParallelFor& parallelFor) {
  const Bands bands(shape, kPixelsOfGradient);
  const GradientParts parts(shape, bands);
  parallelFor(parts.count(), [&](std::int64_t begin, std::int64_t end) {
    AmxFilterGradient gradient(shape, bands, parts);
    for (std::int64_t i = begin; i < end; ++i) gradient.sum(parts[i], x, dy);
  });
  parallelFor(shape.outputDepth, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t filter = begin; filter < end; ++filter)
      writeFilter(shape, parts, filter, filterGradient + filter * kTapCount * shape.inputDepth);
  });
}

#else

void convolveByAmx(
    const ConvolutionShape&, const Bfloat16*, const Bfloat16*, Bfloat16*, const ParallelFor&) {}

void amxInputGradient(
    const ConvolutionShape&, const Bfloat16*, const Bfloat16*, Bfloat16*, const ParallelFor&) {}

void amxFilterGradient(
    const ConvolutionShape&, const Bfloat16*, const Bfloat16*, Bfloat16*, const ParallelFor&) {}

#endif

}  // namespace lambda
