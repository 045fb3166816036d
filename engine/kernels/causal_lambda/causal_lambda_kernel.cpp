#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/causal_lambda/causal_lambda_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/causal_lambda/causal_factors-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Vectors of a block of values: their sums for a few heads stay in registers.
constexpr int kForwardVectors = 2;

/// Wider, because sums over the values of a block take longer than a block's share of the rest.
constexpr int kBackwardVectors = 4;

/// Heads whose sums are made together.
constexpr int kHeadsOfTile = 4;

/// Successive columns of the values: whole vectors, of which the last may be cut.
template <int kVectors>
struct Columns {
  Columns(const CausalLambdaShape& shape, Index first_)
      : first(first_),
        ofLast(std::min(shape.valueDepth - first - (kVectors - 1) * lanes(), lanes())) {}

  HWY_INLINE void loadRow(const float* values, Vector* row) const {
    LAMBDA_UNROLL(4)
    for (int i = 0; i < kVectors; ++i) {
      const float* from = values + first + i * lanes();
      row[i] = i + 1 < kVectors ? load(from) : loadUpTo(ofLast, from);
    }
  }

  HWY_INLINE void storeRow(const Vector* row, float* values) const {
    LAMBDA_UNROLL(4)
    for (int i = 0; i < kVectors; ++i) {
      float* to = values + first + i * lanes();
      if (i + 1 < kVectors) {
        store(row[i], to);
      } else {
        storeUpTo(ofLast, row[i], to);
      }
    }
  }

  Index width() const { return kVectors * lanes(); }

  Index count() const { return (kVectors - 1) * lanes() + ofLast; }

  Index first;
  Index ofLast;  ///< Columns of the last vector.
};

Index blocksOf(const CausalLambdaShape& shape, int vectors) {
  return (shape.valueDepth + vectors * lanes() - 1) / (vectors * lanes());
}

/// Calls `work` with the columns of a block of at most kMost vectors.
template <int kMost, class Work>
void withColumns(const CausalLambdaShape& shape, Index first, const Work& work) {
  if constexpr (kMost > 1) {
    if (shape.valueDepth - first <= (kMost - 1) * lanes())
      return withColumns<kMost - 1>(shape, first, work);
  }
  work(Columns<kMost>(shape, first));
}

/// Calls `work` with tiles of heads: std::integral_constant of their number, and the first of them.
template <class Work>
HWY_INLINE void forTilesOfHeads(Index heads, const Work& work) {
  Index head = 0;
  for (; head + kHeadsOfTile <= heads; head += kHeadsOfTile)
    work(std::integral_constant<int, kHeadsOfTile>(), head);
  switch (heads - head) {
    case 3:
      return work(std::integral_constant<int, 3>(), head);
    case 2:
      return work(std::integral_constant<int, 2>(), head);
    case 1:
      return work(std::integral_constant<int, 1>(), head);
    default:
      return;
  }
}

/// One image's operands and factors.
struct Image {
  Image(const CausalLambdaShape& shape_,
        const CausalLambdaInputs& inputs,
        const CausalFactors& factors,
        Index image)
      : shape(shape_),
        depth(factors.depth),
        queries(inputs.queries + image * shape.positions * shape.heads * shape.queryDepth),
        values(inputs.values + image * shape.positions * shape.intraDepth * shape.valueDepth),
        keep(factors.keep() + image * shape.positions * shape.intraDepth * depth),
        add(factors.add() + image * shape.positions * shape.intraDepth * depth),
        gradient(factors.gradient() + image * shape.positions * shape.intraDepth * depth) {}

  const float* valuesAt(Index n, Index u) const {
    return values + (n * shape.intraDepth + u) * shape.valueDepth;
  }

  const float* queryAt(Index n, Index head) const {
    return queries + (n * shape.heads + head) * shape.queryDepth;
  }

  /// Where the factors of a position stand.
  Index factorsAt(Index n, Index u) const { return (n * shape.intraDepth + u) * depth; }

  const CausalLambdaShape& shape;
  Index depth;
  const float* queries;
  const float* values;
  const float* keep;
  const float* add;
  const float* gradient;
};

// ---- forwards ----

/// Takes a position into the state [u, k, width]: Lambda = keep Lambda + add v^T.
template <int kVectors>
HWY_INLINE void takeUp(const Image& in, const Columns<kVectors>& columns, Index n, float* state) {
  const Floats d;
  for (Index u = 0; u < in.shape.intraDepth; ++u) {
    Vector value[kVectors];
    columns.loadRow(in.valuesAt(n, u), value);
    const float* keep = in.keep + in.factorsAt(n, u);
    const float* add = in.add + in.factorsAt(n, u);
    for (Index k = 0; k < in.shape.queryDepth; ++k, state += columns.width()) {
      const Vector kept = hn::Set(d, keep[k]), added = hn::Set(d, add[k]);
      LAMBDA_UNROLL(4)
      for (int i = 0; i < kVectors; ++i) {
        float* row = state + i * lanes();
        store(hn::MulAdd(kept, load(row), hn::Mul(added, value[i])), row);
      }
    }
  }
}

/// The outputs q^T Lambda of a few heads.
template <int kHeads, int kVectors>
HWY_INLINE void applyState(const Image& in,
                           const Columns<kVectors>& columns,
                           const float* query,
                           const float* state,
                           float* y) {
  const Floats d;
  Vector sum[kHeads][kVectors];
  LAMBDA_UNROLL(4)
  for (int head = 0; head < kHeads; ++head) {
    LAMBDA_UNROLL(4)
    for (int i = 0; i < kVectors; ++i) sum[head][i] = hn::Zero(d);
  }
  for (Index u = 0; u < in.shape.intraDepth; ++u) {
    for (Index k = 0; k < in.shape.queryDepth; ++k, state += columns.width()) {
      LAMBDA_UNROLL(4)
      for (int head = 0; head < kHeads; ++head) {
        const Vector weight = hn::Set(d, query[head * in.shape.queryDepth + k]);
        LAMBDA_UNROLL(4)
        for (int i = 0; i < kVectors; ++i)
          sum[head][i] = hn::MulAdd(weight, load(state + i * lanes()), sum[head][i]);
      }
    }
  }
  LAMBDA_UNROLL(4)
  for (int head = 0; head < kHeads; ++head)
    columns.storeRow(sum[head], y + head * in.shape.valueDepth);
}

/// Writes one block of an image's outputs y [n, h, v]. `seen`: the image's part of
/// CausalLambdaState::lambdas.
template <int kVectors>
void outputsOf(const Image& in, const Columns<kVectors>& columns, float* seen, float* y) {
  const CausalLambdaShape& shape = in.shape;
  const Index rows = shape.intraDepth * shape.queryDepth;
  const AlignedBuffer<float> state(rows * columns.width());
  Vector row[kVectors];
  for (Index i = 0; seen != nullptr && i < rows; ++i) {
    columns.loadRow(seen + i * shape.valueDepth, row);
    for (int j = 0; j < kVectors; ++j)
      store(row[j], state.get() + i * columns.width() + j * lanes());
  }
  for (Index n = 0; n < shape.positions; ++n) {
    takeUp(in, columns, n, state.get());
    forTilesOfHeads(shape.heads, [&](auto heads, Index head) HWY_ATTR {
      applyState<heads>(in,
                        columns,
                        in.queryAt(n, head),
                        state.get(),
                        y + (n * shape.heads + head) * shape.valueDepth);
    });
  }
  for (Index i = 0; seen != nullptr && i < rows; ++i) {
    for (int j = 0; j < kVectors; ++j)
      row[j] = load(state.get() + i * columns.width() + j * lanes());
    columns.storeRow(row, seen + i * shape.valueDepth);
  }
}

// ---- backwards ----

/// What the blocks of values contribute to the gradients of queries and keys.
struct Shares {
  Shares(const CausalLambdaShape& shape, Index depth_)
      : depth(depth_),
        blocks(blocksOf(shape, kBackwardVectors)),
        rows(shape.positions * shape.intraDepth),
        heads(shape.heads),
        queryMemory(allocateAligned<float>(shape.images * blocks * rows * heads * depth)),
        keyMemory(allocateAligned<float>(shape.images * blocks * rows * depth)) {}

  /// Lambda dy [n, u, h, depth] of one block.
  float* queries(Index image, Index block) const {
    return queryMemory.get() + (image * blocks + block) * rows * heads * depth;
  }

  /// R v [n, u, depth] of one block.
  float* keys(Index image, Index block) const {
    return keyMemory.get() + (image * blocks + block) * rows * depth;
  }

  Index depth;
  Index blocks;
  Index rows;
  Index heads;
  hwy::AlignedFreeUniquePtr<float[]> queryMemory;
  hwy::AlignedFreeUniquePtr<float[]> keyMemory;
};

/// Lambda dy [kHeads, depth] for a vector of key channels, from the state [count, lanes].
template <int kHeads>
HWY_INLINE void gradientsOfHeads(
    const float* state, const float* dy, Index valueDepth, Index count, Index depth, float* to) {
  const Floats d;
  // Two sums for each head, since each waits for its last addition.
  Vector sum[kHeads][2];
  LAMBDA_UNROLL(4)
  for (int head = 0; head < kHeads; ++head) sum[head][0] = sum[head][1] = hn::Zero(d);
  Index column = 0;
  for (; column + 2 <= count; column += 2) {
    LAMBDA_UNROLL(2)
    for (int i = 0; i < 2; ++i) {
      const Vector row = load(state + (column + i) * lanes());
      LAMBDA_UNROLL(4)
      for (int head = 0; head < kHeads; ++head) {
        const Vector gradient = hn::Set(d, dy[head * valueDepth + column + i]);
        sum[head][i] = hn::MulAdd(row, gradient, sum[head][i]);
      }
    }
  }
  LAMBDA_UNROLL(4)
  for (int head = 0; head < kHeads; ++head) {
    if (column < count) {
      const Vector gradient = hn::Set(d, dy[head * valueDepth + column]);
      sum[head][0] = hn::MulAdd(load(state + column * lanes()), gradient, sum[head][0]);
    }
    store(hn::Add(sum[head][0], sum[head][1]), to + head * depth);
  }
}

/// The sweep forwards over `count` columns of the values from `first` on. Its vectors are of key
/// channels, so that sums over the values need no sum over lanes.
void sweepForwards(const Image& in, const float* dy, Index first, Index count, float* shares) {
  const CausalLambdaShape& shape = in.shape;
  for (Index k = 0; k < in.depth; k += lanes()) {
    const AlignedBuffer<float> states(shape.intraDepth * count * lanes());
    for (Index n = 0; n < shape.positions; ++n) {
      for (Index u = 0; u < shape.intraDepth; ++u) {
        float* state = states.get() + u * count * lanes();
        const float* values = in.valuesAt(n, u) + first;
        const Vector keep = load(in.keep + in.factorsAt(n, u) + k);
        const Vector add = load(in.add + in.factorsAt(n, u) + k);
        for (Index column = 0; column < count; ++column) {
          float* row = state + column * lanes();
          const Vector added = hn::Mul(add, hn::Set(Floats(), values[column]));
          store(hn::MulAdd(keep, load(row), added), row);
        }
        forTilesOfHeads(shape.heads, [&](auto heads, Index head) HWY_ATTR {
          gradientsOfHeads<heads>(
              state,
              dy + (n * shape.heads + head) * shape.valueDepth + first,
              shape.valueDepth,
              count,
              in.depth,
              shares + (in.factorsAt(n, u) * shape.heads) + head * in.depth + k);
        });
      }
    }
  }
}

/// R = keep R + q dy^T over a few heads, for the state [k, width] of one intra-depth. `keep` is
/// null where the state is kept as it is.
template <int kHeads, int kVectors>
HWY_INLINE void addHeads(const Image& in,
                         const Columns<kVectors>& columns,
                         const float* keep,
                         const float* query,
                         const float* dy,
                         float* state) {
  const Floats d;
  Vector gradient[kHeads][kVectors];
  LAMBDA_UNROLL(4)
  for (int head = 0; head < kHeads; ++head)
    columns.loadRow(dy + head * in.shape.valueDepth, gradient[head]);
  for (Index k = 0; k < in.shape.queryDepth; ++k, state += columns.width()) {
    Vector row[kVectors];
    const Vector kept = hn::Set(d, keep != nullptr ? keep[k] : 1);
    LAMBDA_UNROLL(4)
    for (int i = 0; i < kVectors; ++i) row[i] = hn::Mul(kept, load(state + i * lanes()));
    LAMBDA_UNROLL(4)
    for (int head = 0; head < kHeads; ++head) {
      const Vector weight = hn::Set(d, query[head * in.shape.queryDepth + k]);
      LAMBDA_UNROLL(4)
      for (int i = 0; i < kVectors; ++i) row[i] = hn::MulAdd(weight, gradient[head][i], row[i]);
    }
    LAMBDA_UNROLL(4)
    for (int i = 0; i < kVectors; ++i) store(row[i], state + i * lanes());
  }
}

/// The sweep backwards over a block of the values: writes dv [n, u, v] and R v.
template <int kVectors>
void sweepBackwards(
    const Image& in, const Columns<kVectors>& columns, const float* dy, float* dv, float* shares) {
  const Floats d;
  const CausalLambdaShape& shape = in.shape;
  const Index stateSize = shape.queryDepth * columns.width();
  const AlignedBuffer<float> states(shape.intraDepth * stateSize);
  for (Index n = shape.positions - 1; n >= 0; --n) {
    for (Index u = 0; u < shape.intraDepth; ++u) {
      float* state = states.get() + u * stateSize;
      const bool isLast = n + 1 == shape.positions;
      forTilesOfHeads(shape.heads, [&](auto heads, Index head) HWY_ATTR {
        addHeads<heads>(in,
                        columns,
                        head > 0 || isLast ? nullptr : in.keep + in.factorsAt(n + 1, u),
                        in.queryAt(n, head),
                        dy + (n * shape.heads + head) * shape.valueDepth,
                        state);
      });
      Vector value[kVectors], gradient[kVectors];
      columns.loadRow(in.valuesAt(n, u), value);
      LAMBDA_UNROLL(4)
      for (int i = 0; i < kVectors; ++i) gradient[i] = hn::Zero(d);
      const float* add = in.add + in.factorsAt(n, u);
      float* share = shares + in.factorsAt(n, u);
      for (Index k = 0; k < shape.queryDepth; ++k) {
        const Vector added = hn::Set(d, add[k]);
        Vector sum = hn::Zero(d);
        LAMBDA_UNROLL(4)
        for (int i = 0; i < kVectors; ++i) {
          const Vector row = load(state + k * columns.width() + i * lanes());
          gradient[i] = hn::MulAdd(added, row, gradient[i]);
          sum = hn::MulAdd(row, value[i], sum);
        }
        share[k] = hn::GetLane(hn::SumOfLanes(d, sum));
      }
      std::fill(share + shape.queryDepth, share + in.depth, 0.0F);
      columns.storeRow(gradient, dv + (n * shape.intraDepth + u) * shape.valueDepth);
    }
  }
}

/// Sums the shares of the blocks of an image in their order, for the `count` channels from k on:
/// writes dq [n, h, k] and dK [n, u, k].
void addShares(const Image& in, const Shares& shares, Index image, Index k, float* dq, float* dk) {
  const Floats d;
  const CausalLambdaShape& shape = in.shape;
  const Index count = std::min(shape.queryDepth - k, lanes());
  const AlignedBuffer<float> later(shape.intraDepth * lanes());
  for (Index n = shape.positions - 1; n >= 0; --n) {
    for (Index u = 0; u < shape.intraDepth; ++u) {
      const Index at = in.factorsAt(n, u);
      Vector ofNormalizer = hn::Zero(d);
      for (Index head = 0; head < shape.heads; ++head) {
        Vector sum = hn::Zero(d);
        for (Index block = 0; block < shares.blocks; ++block)
          sum = hn::Add(
              sum, load(shares.queries(image, block) + at * shape.heads + head * in.depth + k));
        ofNormalizer = hn::MulAdd(sum, loadUpTo(count, in.queryAt(n, head) + k), ofNormalizer);
        float* to = dq + (n * shape.heads + head) * shape.queryDepth + k;
        if (u > 0) sum = hn::Add(sum, loadUpTo(count, to));
        storeUpTo(count, sum, to);
      }
      Vector sum = hn::Zero(d);
      for (Index block = 0; block < shares.blocks; ++block)
        sum = hn::Add(sum, load(shares.keys(image, block) + at + k));
      if (shape.keys != SeenKeys::asTheyAre) {
        // T is kept where keep is above 1, too: all keys before were 0, and need no T.
        float* kept = later.get() + u * lanes();
        ofNormalizer = hn::Add(ofNormalizer, load(kept));
        const Vector keep = hn::Min(load(in.keep + at + k), hn::Set(d, 1));
        const bool isSquare = shape.keys == SeenKeys::l2;
        store(hn::Mul(isSquare ? hn::Mul(keep, keep) : keep, ofNormalizer), kept);
        sum = isSquare ? hn::NegMulAdd(load(in.add + at + k), ofNormalizer, sum)
                       : hn::Sub(sum, ofNormalizer);
      }
      storeUpTo(count,
                hn::Mul(sum, load(in.gradient + at + k)),
                dk + (n * shape.intraDepth + u) * shape.queryDepth + k);
    }
  }
}

}  // namespace

void forwardOf(const CausalLambdaShape& shape,
               const CausalLambdaInputs& inputs,
               const CausalLambdaState& state,
               float* y,
               const ParallelFor& parallelFor) {
  if (shape.positions == 0) return;
  const CausalFactors factors(shape, inputs.keys, state.keys, parallelFor);
  const Index blocks = blocksOf(shape, kForwardVectors), width = kForwardVectors * lanes();
  const Index size = shape.positions * shape.heads * shape.valueDepth;
  const Index stateSize = shape.intraDepth * shape.queryDepth * shape.valueDepth;
  parallelFor(shape.images * blocks, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index image = i / blocks;
      const Image in(shape, inputs, factors, image);
      float* const seen = state.lambdas == nullptr ? nullptr : state.lambdas + image * stateSize;
      withColumns<kForwardVectors>(shape, i % blocks * width, [&](const auto& columns) {
        outputsOf(in, columns, seen, y + image * size);
      });
    }
  });
}

void backwardOf(const CausalLambdaShape& shape,
                const CausalLambdaInputs& inputs,
                const float* dy,
                const CausalLambdaGradients& gradients,
                const ParallelFor& parallelFor) {
  if (shape.positions == 0) return;
  const CausalFactors factors(shape, inputs.keys, nullptr, parallelFor);
  const Shares shares(shape, factors.depth);
  const Index blocks = shares.blocks, width = kBackwardVectors * lanes();
  const Index rows = shape.positions * shape.heads, contextRows = shares.rows;
  parallelFor(shape.images * blocks, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index image = i / blocks, block = i % blocks;
      const Image in(shape, inputs, factors, image);
      const float* dyOfImage = dy + image * rows * shape.valueDepth;
      float* dv = gradients.values + image * contextRows * shape.valueDepth;
      withColumns<kBackwardVectors>(shape, block * width, [&](const auto& columns) {
        sweepForwards(in, dyOfImage, columns.first, columns.count(), shares.queries(image, block));
        sweepBackwards(in, columns, dyOfImage, dv, shares.keys(image, block));
      });
    }
  });
  const Index step = width / kBackwardVectors, parts = factors.depth / step;
  parallelFor(shape.images * parts, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index image = i / parts;
      addShares(Image(shape, inputs, factors, image),
                shares,
                image,
                i % parts * step,
                gradients.queries + image * rows * shape.queryDepth,
                gradients.keys + image * contextRows * shape.queryDepth);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(forwardOf);
HWY_EXPORT(backwardOf);

void causalLambdaForward(const CausalLambdaShape& shape,
                         const CausalLambdaInputs& inputs,
                         const CausalLambdaState& state,
                         float* y,
                         const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(forwardOf)(shape, inputs, state, y, parallelFor);
}

void causalLambdaBackward(const CausalLambdaShape& shape,
                          const CausalLambdaInputs& inputs,
                          const float* dy,
                          const CausalLambdaGradients& gradients,
                          const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(backwardOf)(shape, inputs, dy, gradients, parallelFor);
}

}  // namespace lambda
#endif
