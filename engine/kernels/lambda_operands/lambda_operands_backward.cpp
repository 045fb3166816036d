#include <algorithm>
#include <type_traits>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_operands/lambda_operands_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_operands/operand_columns-inl.h"
#include "engine/kernels/products/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Groups of chunks whose gradients of the weights are summed one after another.
constexpr Index kMostGroups = 16;
constexpr Index kFewestChunksOfGroup = 4;

/// W [c, d], with zeros in the padding.
AlignedBuffer<float> packedWeights(const OperandsShape& shape,
                                   const Columns& columns,
                                   const OperandData<const float>& weights) {
  AlignedBuffer<float> packed(columns.total * shape.inputDepth);
  const auto pack = [&](const float* from, const Section& section) {
    std::copy_n(
        from, section.columns * shape.inputDepth, packed.get() + section.first * shape.inputDepth);
  };
  pack(weights.queries, columns.queries);
  pack(weights.values, columns.values);
  if (columns.keys.columns > 0) pack(weights.keys, columns.keys);
  return packed;
}

/// The gradient of a normalised section with respect to z, for each column:
/// scale dy + slope (z - mean) + shift. With the sums over all rows that it takes from a chunk.
class SectionGradient {
 public:
  SectionGradient(const Section& section, const OperandNorm& norm, const Chunks& chunks)
      : section_(section),
        norm_(norm),
        mean_(section.padded),
        scale_(section.padded),
        slope_(section.padded),
        shift_(section.padded),
        sums_(hasNorm() ? chunks.count * section.padded : 0),
        products_(hasNorm() ? chunks.count * section.padded : 0) {
    if (!hasNorm()) std::fill_n(scale_.get(), section.padded, 1.0F);
    for (Index c = 0; hasNorm() && c < section.columns; ++c)
      mean_.get()[c] = static_cast<float>(norm.moments.mean[c]);
  }

  bool hasNorm() const { return norm_.moments.mean != nullptr; }

  /// Sums dy and dy (z - mean) of a chunk.
  void addChunk(Index chunk, const float* z, Index stride, const float* dy, Index rows) {
    const Floats d;
    float* sums = sums_.get() + chunk * section_.padded;
    float* products = products_.get() + chunk * section_.padded;
    forBlocks(rows, section_, [&](Index first, Index end, Index column) {
      const Vector mean = hn::Load(d, mean_.get() + column);
      Vector sum = hn::Load(d, sums + column);
      Vector product = hn::Load(d, products + column);
      for (Index row = first; row < end; ++row) {
        const Vector gradient = loadColumns(dy + row * section_.columns, section_, column);
        const Vector value = hn::LoadU(d, z + row * stride + section_.first + column);
        sum = hn::Add(sum, gradient);
        product = hn::MulAdd(gradient, hn::Sub(value, mean), product);
      }
      hn::Store(sum, d, sums + column);
      hn::Store(product, d, products + column);
    });
  }

  /// Adds the chunks, writes the gradients of scale and shift, and finds the coefficients.
  void finish(const Chunks& chunks, bool isTraining, float* dScale, float* dShift) {
    const auto rows = static_cast<double>(chunks.rows);
    for (Index c = 0; c < section_.columns && hasNorm(); ++c) {
      double sum = 0, product = 0;
      for (Index chunk = 0; chunk < chunks.count; ++chunk) {
        sum += static_cast<double>(sums_.get()[chunk * section_.padded + c]);
        product += static_cast<double>(products_.get()[chunk * section_.padded + c]);
      }
      const double inverse = norm_.moments.inverseDeviation[c];
      const double factor = inverse * static_cast<double>(norm_.affine.weight[c]);
      const double lacking = norm_.moments.mean[c] - static_cast<double>(mean_.get()[c]);
      product = (product - lacking * sum) * inverse;  // Of dy and the normalised values.
      if (dScale) dScale[c] = static_cast<float>(product);
      if (dShift) dShift[c] = static_cast<float>(sum);
      scale_.get()[c] = static_cast<float>(factor);
      if (!isTraining) continue;
      const double slope = -factor * inverse * product / rows;
      slope_.get()[c] = static_cast<float>(slope);
      shift_.get()[c] = static_cast<float>(-factor * sum / rows - slope * lacking);
    }
  }

  /// Writes dz of some rows, with zeros in the padding.
  void write(const float* z, Index stride, const float* dy, Index rows, float* dz) const {
    const Floats d;
    forBlocks(rows, section_, [&](Index first, Index end, Index column) {
      const Vector mean = hn::Load(d, mean_.get() + column);
      const Vector scale = hn::Load(d, scale_.get() + column);
      const Vector slope = hn::Load(d, slope_.get() + column);
      const Vector shift = hn::Load(d, shift_.get() + column);
      for (Index row = first; row < end; ++row) {
        const Index at = row * stride + section_.first + column;
        const Vector gradient = loadColumns(dy + row * section_.columns, section_, column);
        const Vector difference = hn::Sub(hn::LoadU(d, z + at), mean);
        const Vector rest = hn::MulAdd(difference, slope, shift);
        hn::StoreU(hn::MulAdd(gradient, scale, rest), d, dz + at);
      }
    });
  }

 private:
  const Section& section_;
  const OperandNorm& norm_;
  AlignedBuffer<float> mean_, scale_, slope_, shift_;  ///< Of each column.
  AlignedBuffer<float> sums_, products_;               ///< [chunks, columns]
};

/// The backward pass of the softmax of the keys.
class KeyGradient {
 public:
  KeyGradient(const OperandsShape& shape,
              const Section& section,
              const float* keys,
              const float* dKeys,
              const ParallelFor& parallelFor)
      : section_(section),
        positions_(shape.positions),
        keys_(keys),
        dKeys_(dKeys),
        products_(section.columns > 0 ? shape.images * section.padded : 0) {
    if (section.columns == 0) return;
    parallelFor(shape.images, [&](Index begin, Index end) {
      for (Index image = begin; image < end; ++image) sumImage(image);
    });
  }

  /// Writes dz of the rows from `first` on, with zeros in the padding.
  void write(Index first, Index rows, Index stride, float* dz) const {
    const Floats d;
    for (Index row = 0; row < rows; ++row) {
      const float* product = products_.get() + (first + row) / positions_ * section_.padded;
      const Index at = (first + row) * section_.columns;
      for (Index column = 0; column < section_.padded; column += lanes()) {
        const Vector key = loadColumns(keys_ + at, section_, column);
        const Vector gradient = loadColumns(dKeys_ + at, section_, column);
        hn::StoreU(hn::Mul(key, hn::Sub(gradient, hn::Load(d, product + column))),
                   d,
                   dz + row * stride + section_.first + column);
      }
    }
  }

 private:
  /// sum_m kbar dkbar of each column.
  void sumImage(Index image) {
    const Floats d;
    float* product = products_.get() + image * section_.padded;
    for (Index column = 0; column < section_.padded; column += lanes()) {
      Vector sum = hn::Zero(d);
      for (Index m = 0; m < positions_; ++m) {
        const Index at = (image * positions_ + m) * section_.columns;
        sum = hn::MulAdd(loadColumns(keys_ + at, section_, column),
                         loadColumns(dKeys_ + at, section_, column),
                         sum);
      }
      hn::Store(sum, d, product + column);
    }
  }

  const Section& section_;
  Index positions_;
  const float* keys_;
  const float* dKeys_;
  AlignedBuffer<float> products_;  ///< [images, columns]
};

/// Writes the gradient of the weights from the sums of the groups, [groups, c, d].
void writeWeightGradients(const OperandsShape& shape,
                          const Columns& columns,
                          Index groups,
                          const float* sums,
                          const OperandData<float>& to,
                          const ParallelFor& parallelFor) {
  const Floats d;
  const Index depth = shape.inputDepth;
  const auto write = [&](const Section& section, float* target) {
    parallelFor(section.columns, [&](Index begin, Index end) {
      for (Index i = begin * depth; i < end * depth; i += lanes()) {
        const float* from = sums + section.first * depth + i;
        Vector sum = hn::LoadU(d, from);
        for (Index group = 1; group < groups; ++group)
          sum = hn::Add(sum, hn::LoadU(d, from + group * columns.total * depth));
        hn::StoreU(sum, d, target + i);
      }
    });
  };
  write(columns.queries, to.queries);
  write(columns.values, to.values);
  if (columns.keys.columns > 0) write(columns.keys, to.keys);
}

template <class T>
void gradientsOf(const OperandsShape& shape,
                 const T* x,
                 const OperandData<const float>& weights,
                 const float* z,
                 const float* keys,
                 const OperandNorms& norms,
                 bool isTraining,
                 const OperandData<const float>& dOperands,
                 const OperandGradients& gradients,
                 const ParallelFor& parallelFor) {
  const Columns columns(shape);
  const Chunks chunks(shape);
  const Index depth = shape.inputDepth, total = columns.total;
  SectionGradient queries(columns.queries, norms.queries, chunks);
  SectionGradient values(columns.values, norms.values, chunks);
  const auto rowsOf = [](const float* base, const Section& section, Index first) {
    return base + first * section.columns;
  };
  parallelFor(chunks.count, [&](Index begin, Index end) {
    for (Index chunk = begin; chunk < end; ++chunk) {
      const Index first = chunks.firstOf(chunk), rows = chunks.rowsOf(chunk);
      const auto add = [&](SectionGradient& gradient, const Section& section, const float* dy) {
        if (!gradient.hasNorm()) return;
        gradient.addChunk(chunk, z + first * total, total, rowsOf(dy, section, first), rows);
      };
      add(queries, columns.queries, dOperands.queries);
      add(values, columns.values, dOperands.values);
    }
  });
  queries.finish(chunks, isTraining, gradients.queryScale, gradients.queryShift);
  values.finish(chunks, isTraining, gradients.valueScale, gradients.valueShift);
  const KeyGradient keyGradient(shape, columns.keys, keys, dOperands.keys, parallelFor);

  const AlignedBuffer<float> packed = packedWeights(shape, columns, weights);
  const bool wantsWeights = gradients.weights.queries != nullptr;
  const Index groups = std::clamp<Index>(chunks.count / kFewestChunksOfGroup, 1, kMostGroups);
  const AlignedBuffer<float> sums(wantsWeights ? groups * total * depth : 0);
  parallelFor(groups, [&](Index begin, Index end) {
    const FloatRows<T> input(kRowsOfChunk * depth);
    const AlignedBuffer<float> dz(kRowsOfChunk * total);
    const AlignedBuffer<float> dx(std::is_same_v<T, float> ? 0 : kRowsOfChunk * depth);
    for (Index group = begin; group < end; ++group) {
      const Index last = chunks.count * (group + 1) / groups;
      for (Index chunk = chunks.count * group / groups; chunk < last; ++chunk) {
        const Index first = chunks.firstOf(chunk), rows = chunks.rowsOf(chunk);
        const float* at = z + first * total;
        queries.write(at, total, rowsOf(dOperands.queries, columns.queries, first), rows, dz.get());
        values.write(at, total, rowsOf(dOperands.values, columns.values, first), rows, dz.get());
        if (columns.keys.columns > 0) keyGradient.write(first, rows, total, dz.get());
        if (gradients.x) {
          T* to = static_cast<T*>(gradients.x) + first * depth;
          float* target = dx.get();
          if constexpr (std::is_same_v<T, float>) target = to;
          product<false>(rows,
                         depth,
                         Rows{target, depth},
                         Term{DepthInRow{dz.get(), total}, EvenRows{packed.get(), depth}, total});
          if constexpr (!std::is_same_v<T, float>) {
            for (Index i = 0; i < rows * depth; i += lanes()) store(load(target + i), to + i);
          }
        }
        if (!wantsWeights) continue;
        product<true>(total,
                      depth,
                      Rows{sums.get() + group * total * depth, depth},
                      Term{RowInDepth{dz.get(), total},
                           EvenRows{input.take(x + first * depth, rows * depth), depth},
                           rows});
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
              const OperandGradients& gradients,
              const ParallelFor& parallelFor) {
  const auto by = [&](const auto* rows) {
    gradientsOf(
        shape, rows, weights, z, keys, norms, isTraining, dOperands, gradients, parallelFor);
  };
  if (shape.element == Element::bfloat16) {
    by(static_cast<const Bfloat16*>(x));
  } else {
    by(static_cast<const float*>(x));
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
                      const OperandGradients& gradients,
                      const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(gradient)
  (shape, x, weights, z, keys, norms, isTraining, dOperands, gradients, parallelFor);
}

}  // namespace lambda
#endif
