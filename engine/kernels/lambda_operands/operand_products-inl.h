// The products of the operands: with x in float32 or bfloat16 in arithmetic of float32, and with x
// in bfloat16 in that of bfloat16, where the CPU has it. Classes of both kinds have the same
// interface; only those in float32 fetch ahead what the next products need. Included once for each
// instruction set.

#if defined(LAMBDA_OPERAND_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_OPERAND_PRODUCTS_INL_H_
#undef LAMBDA_OPERAND_PRODUCTS_INL_H_
#else
#define LAMBDA_OPERAND_PRODUCTS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "engine/kernels/lambda_operands/operand_columns-inl.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "engine/kernels/products/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// W [c, d], with zeros in the padding.
inline AlignedBuffer<float> packedWeights(const OperandsShape& shape,
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

/// Values that may be float32 or bfloat16, read in float32.
template <class T>
class FloatRows {
 public:
  explicit FloatRows(Index most) : values_(std::is_same_v<T, float> ? 0 : most) {}

  /// `count` values, at most those of the constructor; valid until the next call.
  const float* take(const T* from, [[maybe_unused]] Index count) const {
    if constexpr (std::is_same_v<T, float>) {
      return from;
    } else {
      for (Index i = 0; i < count; i += lanes()) store(load(from + i), values_.get() + i);
      return values_.get();
    }
  }

 private:
  AlignedBuffer<float> values_;
};

// ---- z = x W^T, for some rows at a time ----

template <class T>
class FloatProjection {
 public:
  using Value = T;
  static constexpr Index kRows = kRowsOfChunk;  ///< At most, in one call.

  /// W^T [d, c]
  static AlignedBuffer<float> pack(const OperandsShape& shape,
                                   const Columns& columns,
                                   const OperandData<const float>& weights) {
    const AlignedBuffer<float> rows = packedWeights(shape, columns, weights);
    AlignedBuffer<float> packed(shape.inputDepth * columns.total);
    transpose(
        rows.get(), shape.inputDepth, columns.total, shape.inputDepth, packed.get(), columns.total);
    return packed;
  }

  /// One object for each thread.
  FloatProjection(Index depth, Index columns, const AlignedBuffer<float>& packed)
      : depth_(depth), columns_(columns), packed_(packed), rows_(kRows * depth) {}

  void multiply(const T* x, Index rows, float* z, FetchAhead& ahead) const {
    product<false>(rows,
                   columns_,
                   FetchingRows{z, columns_, &ahead},
                   Term{DepthInRow{rows_.take(x, rows * depth_), depth_},
                        EvenRows{packed_.get(), columns_},
                        depth_});
  }

 private:
  Index depth_, columns_;
  const AlignedBuffer<float>& packed_;
  FloatRows<T> rows_;
};

class PairProjection {
 public:
  using Value = Bfloat16;
  static constexpr Index kRows = kRowsOfPairChunk;

  /// W^T by pairs, [d / 2, c, 2]
  static AlignedBuffer<Bfloat16> pack(const OperandsShape& shape,
                                      const Columns& columns,
                                      const OperandData<const float>& weights) {
    const Index depth = shape.inputDepth, total = columns.total;
    const AlignedBuffer<float> rows = packedWeights(shape, columns, weights);
    const AlignedBuffer<Bfloat16> rounded(total * depth);
    roundToBfloat16(rows.get(), total * depth, rounded.get());
    AlignedBuffer<Bfloat16> packed(total * depth);
    for (Index column = 0; column < total; ++column) {
      for (Index i = 0; i < depth; i += 2)
        std::copy_n(rounded.get() + column * depth + i, 2, packed.get() + i * total + 2 * column);
    }
    return packed;
  }

  PairProjection(Index depth, Index columns, const AlignedBuffer<Bfloat16>& packed)
      : depth_(depth), columns_(columns), packed_(packed) {}

  void multiply(const Bfloat16* x, Index rows, float* z, FetchAhead&) const {
    multiplyPairs(
        rows, columns_, depth_ / 2, {x, depth_}, packed_.get(), false, z, columns_, unit_);
  }

 private:
  Index depth_, columns_;
  const AlignedBuffer<Bfloat16>& packed_;
  PairUnit unit_ = *fastestPairUnit();
};

// ---- dx = dz W and dW = dz^T x, for some rows at a time ----

template <class T>
class FloatGradients {
 public:
  using Value = T;
  static constexpr Index kRows = kRowsOfChunk;  ///< At most, in one call.

  /// W [c, d]
  static AlignedBuffer<float> pack(const OperandsShape& shape,
                                   const Columns& columns,
                                   const OperandData<const float>& weights) {
    return packedWeights(shape, columns, weights);
  }

  /// One object for each thread.
  FloatGradients(Index depth, Index columns, const AlignedBuffer<float>& packed)
      : depth_(depth),
        columns_(columns),
        packed_(packed),
        rows_(kRows * depth),
        dx_(std::is_same_v<T, float> ? 0 : kRows * depth) {}

  /// Must be called before the others, for each chunk.
  void take(const float* dz, Index rows) {
    dz_ = dz;
    count_ = rows;
  }

  void writeInputGradient(T* dx, FetchAhead& ahead) const {
    float* target = dx_.get();
    if constexpr (std::is_same_v<T, float>) target = dx;
    product<false>(count_,
                   depth_,
                   FetchingRows{target, depth_, &ahead},
                   Term{DepthInRow{dz_, columns_}, EvenRows{packed_.get(), depth_}, columns_});
    if constexpr (!std::is_same_v<T, float>) {
      for (Index i = 0; i < count_ * depth_; i += lanes()) store(load(target + i), dx + i);
    }
  }

  /// Writes the sums, or adds to them if `adds`.
  void sumWeightGradients(const T* x, bool adds, float* sums, FetchAhead& ahead) const {
    const FetchingRows to{sums, depth_, &ahead};
    const Term term{
        RowInDepth{dz_, columns_}, EvenRows{rows_.take(x, count_ * depth_), depth_}, count_};
    if (adds) {
      product<true>(columns_, depth_, to, term);
    } else {
      product<false>(columns_, depth_, to, term);
    }
  }

 private:
  Index depth_, columns_;
  const AlignedBuffer<float>& packed_;
  FloatRows<T> rows_;
  AlignedBuffer<float> dx_;
  const float* dz_ = nullptr;
  Index count_ = 0;
};

/// dz and W are rounded to bfloat16.
class PairGradients {
 public:
  using Value = Bfloat16;
  static constexpr Index kRows = kRowsOfPairChunk;

  /// W by pairs of its rows, [c / 2, d, 2]
  static AlignedBuffer<Bfloat16> pack(const OperandsShape& shape,
                                      const Columns& columns,
                                      const OperandData<const float>& weights) {
    const Index depth = shape.inputDepth, total = columns.total;
    const AlignedBuffer<float> rows = packedWeights(shape, columns, weights);
    const AlignedBuffer<Bfloat16> rounded(total * depth);
    roundToBfloat16(rows.get(), total * depth, rounded.get());
    AlignedBuffer<Bfloat16> packed(total * depth);
    pairAll(rounded.get(), total, depth, packed.get());
    return packed;
  }

  PairGradients(Index depth, Index columns, const AlignedBuffer<Bfloat16>& packed)
      : depth_(depth),
        columns_(columns),
        packed_(packed),
        dz_(kRows * columns),
        pairs_(kRows * columns),
        xPairs_(kRows * depth),
        dx_(kRows * depth) {}

  void take(const float* dz, Index rows) {
    roundToBfloat16(dz, rows * columns_, dz_.get());
    count_ = rows;
  }

  void writeInputGradient(Bfloat16* dx, FetchAhead&) const {
    multiplyPairs(count_,
                  depth_,
                  columns_ / 2,
                  {dz_.get(), columns_},
                  packed_.get(),
                  false,
                  dx_.get(),
                  depth_,
                  unit_);
    roundToBfloat16(dx_.get(), count_ * depth_, dx);
  }

  void sumWeightGradients(const Bfloat16* x, bool adds, float* sums, FetchAhead&) const {
    pairAll(dz_.get(), count_, columns_, pairs_.get());
    pairAll(x, count_, depth_, xPairs_.get());
    multiplyPairs(columns_,
                  depth_,
                  (count_ + 1) / 2,
                  {pairs_.get(), 2, 2 * columns_},
                  xPairs_.get(),
                  adds,
                  sums,
                  depth_,
                  unit_);
  }

 private:
  /// Pairs of successive rows, [rows / 2, columns, 2].
  static void pairAll(const Bfloat16* from, Index rows, Index columns, Bfloat16* to) {
    for (Index row = 0; row < rows; row += 2) {
      const Bfloat16* second = row + 1 < rows ? from + (row + 1) * columns : nullptr;
      pairRows(from + row * columns, second, columns, to + row * columns);
    }
  }

  Index depth_, columns_;
  const AlignedBuffer<Bfloat16>& packed_;
  PairUnit unit_ = *fastestPairUnit();
  AlignedBuffer<Bfloat16> dz_, pairs_, xPairs_;
  AlignedBuffer<float> dx_;
  Index count_ = 0;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_OPERAND_PRODUCTS_INL_H_
