#include <algorithm>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_operands/lambda_operands_forward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/batch_norm/channel_moments.h"
#include "engine/kernels/lambda_operands/key_softmax-inl.h"
#include "engine/kernels/lambda_operands/operand_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Writes the means of kVectors vectors of columns over some rows of z, and the sums of the squared
/// differences from them. The first pass finds means from differences to the first row, the second
/// one corrects them, so that a mean that is large compared with the deviation costs no accuracy.
template <int kVectors>
HWY_INLINE void momentsOfVectors(
    const float* z, Index rows, Index stride, double* means, double* squares) {
  const Floats d;
  Vector origin[kVectors], sum[kVectors], square[kVectors];
  LAMBDA_UNROLL(4)
  for (int j = 0; j < kVectors; ++j) {
    origin[j] = hn::LoadU(d, z + j * lanes());
    sum[j] = hn::Zero(d);
  }
  for (Index row = 1; row < rows; ++row) {
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      sum[j] = hn::Add(sum[j], hn::Sub(hn::LoadU(d, z + row * stride + j * lanes()), origin[j]));
    }
  }
  const Vector share = hn::Set(d, 1.0F / static_cast<float>(rows));
  LAMBDA_UNROLL(4)
  for (int j = 0; j < kVectors; ++j) {
    origin[j] = hn::MulAdd(sum[j], share, origin[j]);
    sum[j] = square[j] = hn::Zero(d);
  }
  for (Index row = 0; row < rows; ++row) {
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      const Vector difference = hn::Sub(hn::LoadU(d, z + row * stride + j * lanes()), origin[j]);
      sum[j] = hn::Add(sum[j], difference);
      square[j] = hn::MulAdd(difference, difference, square[j]);
    }
  }
  const auto count = static_cast<double>(rows);
  for (int j = 0; j < kVectors; ++j) {
    HWY_ALIGN float origins[hn::MaxLanes(d)], sums[hn::MaxLanes(d)], all[hn::MaxLanes(d)];
    hn::Store(origin[j], d, origins);
    hn::Store(sum[j], d, sums);
    hn::Store(square[j], d, all);
    for (Index i = 0; i < lanes(); ++i) {
      const auto rest = static_cast<double>(sums[i]);
      means[j * lanes() + i] = static_cast<double>(origins[i]) + rest / count;
      squares[j * lanes() + i] = static_cast<double>(all[i]) - rest * rest / count;
    }
  }
}

/// The same for all columns.
HWY_NOINLINE void momentsOfChunk(
    const float* z, Index rows, Index columns, double* means, double* squares) {
  Index column = 0;
  for (; column + 4 * lanes() <= columns; column += 4 * lanes())
    momentsOfVectors<4>(z + column, rows, columns, means + column, squares + column);
  for (; column < columns; column += lanes())
    momentsOfVectors<1>(z + column, rows, columns, means + column, squares + column);
}

/// The moments of all rows from those of their chunks, [chunks, columns].
void mergeMoments(const Chunks& chunks,
                  Index columns,
                  double* means,
                  double* squares,
                  const ColumnMoments& all,
                  const ParallelFor& parallelFor) {
  parallelFor(columns, [&](Index begin, Index end) {
    std::fill(all.mean + begin, all.mean + end, 0.0);
    std::fill(all.variance + begin, all.variance + end, 0.0);
    ChannelMoments merged{0, all.mean, all.variance};
    for (Index chunk = 0; chunk < chunks.count; ++chunk) {
      const ChannelMoments more{static_cast<double>(chunks.rowsOf(chunk)),
                                means + chunk * columns,
                                squares + chunk * columns};
      mergeChannels(more, begin, end, merged);
      merged.count += more.count;
    }
    for (Index column = begin; column < end; ++column) all.variance[column] /= merged.count;
  });
}

/// `Products` is FloatProjection or PairProjection.
template <class Products>
void projectBy(const OperandsShape& shape,
               const void* x,
               const OperandData<const float>& weights,
               float* z,
               const ColumnMoments& moments,
               const ParallelFor& parallelFor) {
  const Columns columns(shape);
  const Chunks chunks(shape, Products::kRows);
  const Index depth = shape.inputDepth, total = columns.total;
  const auto* values = static_cast<const typename Products::Value*>(x);
  const auto packed = Products::pack(shape, columns, weights);
  const Index moment = moments.mean ? chunks.count * total : 0;
  const auto means = allocateAligned<double>(moment), squares = allocateAligned<double>(moment);
  parallelFor(chunks.count, [&](Index begin, Index end) {
    const Products products(depth, total, packed);
    for (Index chunk = begin; chunk < end; ++chunk) {
      const Index first = chunks.firstOf(chunk), rows = chunks.rowsOf(chunk);
      float* out = z + first * total;
      FetchAhead ahead;
      ahead.add(values + chunks.firstOf(chunk + 1) * depth, chunks.rowsOf(chunk + 1) * depth);
      products.multiply(values + first * depth, rows, out, ahead);
      if (moments.mean) {
        momentsOfChunk(
            out, rows, total, means.get() + chunk * total, squares.get() + chunk * total);
      }
    }
  });
  if (moments.mean) mergeMoments(chunks, total, means.get(), squares.get(), moments, parallelFor);
}

/// Writes rows of a normalised section, without its padding.
void normalizeRows(const float* z,
                   Index rows,
                   Index stride,
                   const Section& section,
                   const ColumnScales& scales,
                   float* to) {
  const Floats d;
  const Index rowSize = section.columns;
  forVectors<4>(section, [&](Index column, auto vectors, auto part) {
    constexpr int kVectors = vectors;
    const Index inRow = section.first + column;
    Vector mean[kVectors], scale[kVectors], shift[kVectors];
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      mean[j] = hn::LoadU(d, scales.mean.data() + inRow + j * lanes());
      scale[j] = hn::LoadU(d, scales.scale.data() + inRow + j * lanes());
      shift[j] = hn::LoadU(d, scales.shift.data() + inRow + j * lanes());
    }
    const float* from = z + inRow;
    float* out = to + column;
    for (Index row = 0; row < rows; ++row, from += stride, out += rowSize) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) {
        const Vector difference = hn::Sub(hn::LoadU(d, from + j * lanes()), mean[j]);
        part.store(hn::MulAdd(difference, scale[j], shift[j]), out + j * lanes());
      }
    }
  });
}

}  // namespace

void project(const OperandsShape& shape,
             const void* x,
             const OperandData<const float>& weights,
             float* z,
             const ColumnMoments& moments,
             const ParallelFor& parallelFor) {
  if (shape.element == Element::float32) {
    projectBy<FloatProjection<float>>(shape, x, weights, z, moments, parallelFor);
  } else if (hasBfloat16Products()) {
    projectBy<PairProjection>(shape, x, weights, z, moments, parallelFor);
  } else {
    projectBy<FloatProjection<Bfloat16>>(shape, x, weights, z, moments, parallelFor);
  }
}

void normalize(const OperandsShape& shape,
               const float* z,
               const ColumnScales& scales,
               const OperandData<float>& operands,
               Index first,
               Index count) {
  const Columns columns(shape);
  for (Index image = 0; image < count; ++image) {
    const Index row = image * shape.positions;
    const float* from = z + (first * shape.positions + row) * columns.total;
    const auto write = [&](const Section& section, float* to) {
      normalizeRows(
          from, shape.positions, columns.total, section, scales, to + row * section.columns);
    };
    write(columns.queries, operands.queries);
    write(columns.values, operands.values);
    if (!operands.keys) continue;
    softmaxOfImage(from,
                   shape.positions,
                   columns.total,
                   columns.keys,
                   operands.keys + row * columns.keys.columns);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(project);
HWY_EXPORT(normalize);

void projectOperands(const OperandsShape& shape,
                     const void* x,
                     const OperandData<const float>& weights,
                     float* z,
                     const ColumnMoments& moments,
                     const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(project)(shape, x, weights, z, moments, parallelFor);
}

void normalizeOperands(const OperandsShape& shape,
                       const float* z,
                       const ColumnScales& scales,
                       const OperandData<float>& operands,
                       std::int64_t first,
                       std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(normalize)(shape, z, scales, operands, first, count);
}

}  // namespace lambda
#endif
