#include <algorithm>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_operands/lambda_operands_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_operands/operand_columns-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Rows of an image that are summed in float32 before their sum is added in double.
constexpr Index kRowsOfSum = 64;

/// Adds the sums of dy and of dy (z - mean) over some rows to those of each column.
void addSums(const float* z,
             Index rows,
             Index stride,
             const Section& section,
             const ColumnScales& scales,
             const float* dy,
             double* gradients,
             double* products) {
  const Floats d;
  const Index rowSize = section.columns;
  forVectors<4>(section, [&](Index column, auto vectors, auto part) {
    constexpr int kVectors = vectors;
    const Index inRow = section.first + column;
    Vector mean[kVectors], sum[kVectors], product[kVectors];
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      mean[j] = hn::LoadU(d, scales.mean.data() + inRow + j * lanes());
      sum[j] = product[j] = hn::Zero(d);
    }
    const float* from = z + inRow;
    const float* gradientFrom = dy + column;
    for (Index row = 0; row < rows; ++row, from += stride, gradientFrom += rowSize) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) {
        const Vector gradient = part.load(gradientFrom + j * lanes());
        const Vector difference = hn::Sub(hn::LoadU(d, from + j * lanes()), mean[j]);
        sum[j] = hn::Add(sum[j], gradient);
        product[j] = hn::MulAdd(gradient, difference, product[j]);
      }
    }
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      addTo(sum[j], gradients + inRow + j * lanes());
      addTo(product[j], products + inRow + j * lanes());
    }
  });
}

/// Adds the sums of kbar dkbar over some rows to those of each column.
void addKeySums(
    const float* keys, const float* dKeys, Index rows, const Section& section, double* products) {
  const Index rowSize = section.columns;
  forVectors<1>(section, [&](Index column, auto, auto part) {
    Vector sum = hn::Zero(Floats());
    for (Index row = 0, at = column; row < rows; ++row, at += rowSize)
      sum = hn::MulAdd(part.load(keys + at), part.load(dKeys + at), sum);
    addTo(sum, products + section.first + column);
  });
}

}  // namespace

void sum(const OperandsShape& shape,
         const float* z,
         const ColumnScales& scales,
         const float* keys,
         const OperandData<const float>& dOperands,
         Index first,
         Index count,
         OperandSums& sums) {
  const Columns columns(shape);
  for (Index image = first; image < first + count; ++image) {
    double* gradients = sums.gradients.get() + image * columns.total;
    double* products = sums.products.get() + image * columns.total;
    std::fill_n(gradients, columns.total, 0.0);
    std::fill_n(products, columns.total, 0.0);
    for (Index done = 0; done < shape.positions; done += kRowsOfSum) {
      const Index row = image * shape.positions + done;
      const Index rows = std::min(kRowsOfSum, shape.positions - done);
      const auto add = [&](const Section& section, const float* dy) {
        addSums(z + row * columns.total,
                rows,
                columns.total,
                section,
                scales,
                dy + row * section.columns,
                gradients,
                products);
      };
      add(columns.queries, dOperands.queries);
      add(columns.values, dOperands.values);
      if (columns.keys.columns == 0) continue;
      const Index at = row * columns.keys.columns;
      addKeySums(keys + at, dOperands.keys + at, rows, columns.keys, products);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(sum);

void sumOperandGradients(const OperandsShape& shape,
                         const float* z,
                         const ColumnScales& scales,
                         const float* keys,
                         const OperandData<const float>& dOperands,
                         std::int64_t first,
                         std::int64_t count,
                         OperandSums& sums) {
  HWY_DYNAMIC_DISPATCH(sum)(shape, z, scales, keys, dOperands, first, count, sums);
}

}  // namespace lambda
#endif
