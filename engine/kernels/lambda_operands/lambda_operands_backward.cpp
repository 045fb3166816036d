#include <algorithm>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_operands/lambda_operands_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_operands/operand_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Groups of chunks whose gradients of the weights are summed one after another.
constexpr Index kMostGroups = 16;
constexpr Index kFewestChunksOfGroup = 4;

/// The coefficients by which each column of dz follows from dy and z:
/// dz = scale dy + slope (z - mean) + shift.
class GradientColumns {
 public:
  GradientColumns(const OperandsShape& shape, const Columns& columns, const OperandSums& sums)
      : rows_(static_cast<double>(shape.images * shape.positions)),
        total_(columns.total),
        gradients_(columns.total),
        products_(columns.total),
        mean_(columns.total),
        scale_(columns.total),
        slope_(columns.total),
        shift_(columns.total) {
    std::fill_n(scale_.get(), columns.total, 1.0F);
    for (Index image = 0; image < shape.images; ++image) {
      for (Index column = 0; column < total_; ++column) {
        gradients_.get()[column] += sums.gradients.get()[image * total_ + column];
        products_.get()[column] += sums.products.get()[image * total_ + column];
      }
    }
  }

  /// Finds the coefficients of a section, and writes the gradients of its norm.
  void take(const Section& section,
            const OperandNorm& norm,
            bool isTraining,
            float* dScale,
            float* dShift) {
    if (!norm.moments.mean) return;
    for (Index c = 0; c < section.columns; ++c) {
      const Index column = section.first + c;
      const double sum = gradients_.get()[column];
      const double inverse = norm.moments.inverseDeviation[c];
      const double factor = inverse * static_cast<double>(norm.affine.weight[c]);
      mean_.get()[column] = static_cast<float>(norm.moments.mean[c]);
      const double lacking = norm.moments.mean[c] - static_cast<double>(mean_.get()[column]);
      // The sum of dy times the normalised values.
      const double product = (products_.get()[column] - lacking * sum) * inverse;
      if (dScale) dScale[c] = static_cast<float>(product);
      if (dShift) dShift[c] = static_cast<float>(sum);
      scale_.get()[column] = static_cast<float>(factor);
      if (!isTraining) continue;
      const double slope = -factor * inverse * product / rows_;
      slope_.get()[column] = static_cast<float>(slope);
      shift_.get()[column] = static_cast<float>(-factor * sum / rows_ - slope * lacking);
    }
  }

  /// Writes dz of some rows of a section, with zeros in the padding.
  void write(const float* z, Index rows, const Section& section, const float* dy, float* dz) const {
    const Floats d;
    const Index total = total_, rowSize = section.columns;
    forVectors<2>(section, [&](Index column, auto vectors, auto part) {
      constexpr int kVectors = vectors;
      const Index inRow = section.first + column;
      Vector mean[kVectors], scale[kVectors], slope[kVectors], shift[kVectors];
      LAMBDA_UNROLL(2)
      for (int j = 0; j < kVectors; ++j) {
        const Index at = inRow + j * lanes();
        mean[j] = hn::Load(d, mean_.get() + at);
        scale[j] = hn::Load(d, scale_.get() + at);
        slope[j] = hn::Load(d, slope_.get() + at);
        shift[j] = hn::Load(d, shift_.get() + at);
      }
      const float* gradientFrom = dy + column;
      for (Index row = 0, at = inRow; row < rows; ++row, at += total, gradientFrom += rowSize) {
        LAMBDA_UNROLL(2)
        for (int j = 0; j < kVectors; ++j) {
          const Vector gradient = part.load(gradientFrom + j * lanes());
          const Vector difference = hn::Sub(hn::LoadU(d, z + at + j * lanes()), mean[j]);
          const Vector rest = hn::MulAdd(difference, slope[j], shift[j]);
          hn::StoreU(hn::MulAdd(gradient, scale[j], rest), d, dz + at + j * lanes());
        }
      }
    });
  }

 private:
  double rows_;  ///< Of all images.
  Index total_;
  AlignedBuffer<double> gradients_, products_;  ///< OperandSums of all images.
  AlignedBuffer<float> mean_, scale_, slope_, shift_;
};

/// Writes dz of the keys of some rows from `first` on, with zeros in the padding.
void writeKeyGradient(const OperandsShape& shape,
                      const Columns& columns,
                      const float* keys,
                      const float* dKeys,
                      const OperandSums& sums,
                      Index first,
                      Index rows,
                      float* dz) {
  const Floats d;
  const Section& section = columns.keys;
  const Index total = columns.total, rowSize = section.columns;
  HWY_ALIGN float product[hn::MaxLanes(d)];
  for (Index row = 0; row < rows;) {
    const Index image = (first + row) / shape.positions;
    const Index end = std::min(rows, (image + 1) * shape.positions - first);
    forVectors<1>(section, [&](Index column, auto, auto part) {
      const double* sum = sums.products.get() + image * total + section.first + column;
      std::transform(
          sum, sum + lanes(), product, [](double each) { return static_cast<float>(each); });
      const Vector ofImage = hn::Load(d, product);
      Index at = (first + row) * rowSize + column;
      float* to = dz + row * total + section.first + column;
      for (Index each = row; each < end; ++each, at += rowSize, to += total) {
        const Vector gradient = hn::Sub(part.load(dKeys + at), ofImage);
        hn::StoreU(hn::Mul(part.load(keys + at), gradient), d, to);
      }
    });
    row = end;
  }
}

/// Writes the gradient of the weights from the sums of the groups, [groups, c, d].
void writeWeightGradients(const OperandsShape& shape,
                          const Columns& columns,
                          Index groups,
                          const float* sums,
                          const OperandData<float>& to,
                          const ParallelFor& parallelFor) {
  const Floats d;
  const Index depth = shape.inputDepth;
  parallelFor(columns.total, [&](Index begin, Index end) {
    const auto write = [&](const Section& section, float* target) {
      const Index first = std::max(begin, section.first) * depth;
      const Index last = std::min(end, section.first + section.columns) * depth;
      for (Index i = first; i < last; i += lanes()) {
        Vector sum = hn::LoadU(d, sums + i);
        for (Index group = 1; group < groups; ++group)
          sum = hn::Add(sum, hn::LoadU(d, sums + group * columns.total * depth + i));
        hn::StoreU(sum, d, target + i - section.first * depth);
      }
    };
    write(columns.queries, to.queries);
    write(columns.values, to.values);
    write(columns.keys, to.keys);
  });
}

/// `Products` is FloatGradients or PairGradients.
template <class Products>
void gradientsBy(const OperandsShape& shape,
                 const void* x,
                 const OperandData<const float>& weights,
                 const float* z,
                 const float* keys,
                 const OperandNorms& norms,
                 bool isTraining,
                 const OperandData<const float>& dOperands,
                 const OperandSums& operandSums,
                 const OperandGradients& gradients,
                 const ParallelFor& parallelFor) {
  const Columns columns(shape);
  const Chunks chunks(shape, Products::kRows);
  const Index depth = shape.inputDepth, total = columns.total;
  GradientColumns gradientColumns(shape, columns, operandSums);
  gradientColumns.take(
      columns.queries, norms.queries, isTraining, gradients.queryScale, gradients.queryShift);
  gradientColumns.take(
      columns.values, norms.values, isTraining, gradients.valueScale, gradients.valueShift);
  using Value = typename Products::Value;
  const auto packed = Products::pack(shape, columns, weights);
  const bool wantsWeights = gradients.weights.queries != nullptr;
  const Index groups = std::clamp<Index>(chunks.count / kFewestChunksOfGroup, 1, kMostGroups);
  const Index sumCount = wantsWeights ? groups * total * depth : 0;
  const auto sums = allocateAligned<float>(sumCount);
  // The first chunk of each group writes them.
  if (chunks.count == 0) std::fill_n(sums.get(), sumCount, 0.0F);
  const auto fetchChunk = [&](Index chunk) {
    const Index first = chunks.firstOf(chunk), rows = chunks.rowsOf(chunk);
    FetchAhead ahead;
    const auto add = [&](const auto* from, Index width) {
      ahead.add(from + first * width, rows * width);
    };
    add(z, total);
    add(dOperands.queries, columns.queries.columns);
    add(dOperands.values, columns.values.columns);
    if (columns.keys.columns > 0) {
      add(dOperands.keys, columns.keys.columns);
      add(keys, columns.keys.columns);
    }
    if (wantsWeights) add(static_cast<const Value*>(x), depth);
    return ahead;
  };
  parallelFor(groups, [&](Index begin, Index end) {
    Products products(depth, total, packed);
    const AlignedBuffer<float> dz(Products::kRows * total);
    for (Index group = begin; group < end; ++group) {
      const Index firstChunk = chunks.count * group / groups;
      const Index last = chunks.count * (group + 1) / groups;
      for (Index chunk = firstChunk; chunk < last; ++chunk) {
        const Index first = chunks.firstOf(chunk), rows = chunks.rowsOf(chunk);
        const auto write = [&](const Section& section, const float* dy) {
          gradientColumns.write(
              z + first * total, rows, section, dy + first * section.columns, dz.get());
        };
        write(columns.queries, dOperands.queries);
        write(columns.values, dOperands.values);
        if (columns.keys.columns > 0) {
          writeKeyGradient(
              shape, columns, keys, dOperands.keys, operandSums, first, rows, dz.get());
        }
        products.take(dz.get(), rows);
        FetchAhead ahead = fetchChunk(chunk + 1);
        if (gradients.x)
          products.writeInputGradient(static_cast<Value*>(gradients.x) + first * depth, ahead);
        if (wantsWeights) {
          products.sumWeightGradients(static_cast<const Value*>(x) + first * depth,
                                      chunk > firstChunk,
                                      sums.get() + group * total * depth,
                                      ahead);
        }
      }
    }
  });
  if (wantsWeights)
    writeWeightGradients(shape, columns, groups, sums.get(), gradients.weights, parallelFor);
}

}  // namespace

void gradient(const OperandsShape& shape,
              const void* x,
              const OperandData<const float>& weights,
              const float* z,
              const float* keys,
              const OperandNorms& norms,
              bool isTraining,
              const OperandData<const float>& dOperands,
              const OperandSums& sums,
              const OperandGradients& gradients,
              const ParallelFor& parallelFor) {
  const auto by = [&](auto* function) {
    function(
        shape, x, weights, z, keys, norms, isTraining, dOperands, sums, gradients, parallelFor);
  };
  if (shape.element == Element::float32) {
    by(gradientsBy<FloatGradients<float>>);
  } else if (hasBfloat16Products()) {
    by(gradientsBy<PairGradients>);
  } else {
    by(gradientsBy<FloatGradients<Bfloat16>>);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(gradient);

void operandGradients(const OperandsShape& shape,
                      const void* x,
                      const OperandData<const float>& weights,
                      const float* z,
                      const float* keys,
                      const OperandNorms& norms,
                      bool isTraining,
                      const OperandData<const float>& dOperands,
                      const OperandSums& sums,
                      const OperandGradients& gradients,
                      const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(gradient)
  (shape, x, weights, z, keys, norms, isTraining, dOperands, sums, gradients, parallelFor);
}

}  // namespace lambda
#endif
