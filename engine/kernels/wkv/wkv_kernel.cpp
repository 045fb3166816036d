#include "engine/kernels/wkv/wkv_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/wkv/wkv_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/elements-inl.h"
#include "engine/kernels/wkv/wkv_sums-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Channels that a thread takes through a sequence together: enough independent vectors to hide how
/// long a token waits for the one before, few enough for the shares of a chunk to stay in the
/// second-level cache of a core. Whole vectors.
constexpr Index kBlock = 128;

/// How many tokens ahead the memory is asked for the channels of a block. They are too few and lie
/// too far apart for the CPU to fetch those of the next token by itself.
constexpr Index kTokensAhead = 8;

/// Values for each channel of a block, aligned for vectors.
struct alignas(64) Row {
  HWY_INLINE Vector get(Index channel) const { return hn::Load(Floats(), values + channel); }

  HWY_INLINE void set(Vector to, Index channel) { hn::Store(to, Floats(), values + channel); }

  float values[kBlock] = {};
};

/// Channels first..first + count of one sequence.
struct BlockOfSequence {
  BlockOfSequence(const WkvShape& shape, Index index) {
    const Index blocks = blocksOf(shape);
    sequence = index / blocks;
    first = index % blocks * kBlock;
    count = std::min(kBlock, shape.channels - first);
  }

  static Index blocksOf(const WkvShape& shape) { return (shape.channels + kBlock - 1) / kBlock; }

  Index sequence, first, count;
};

/// The rates and bonuses of a block's channels.
struct BlockRates {
  BlockRates(const WkvInputs& inputs, const BlockOfSequence& block) {
    for (Index c = 0; c < block.count; ++c) {
      rate.values[c] = std::exp(inputs.decay[block.first + c]);
      bonus.values[c] = inputs.bonus[block.first + c];
    }
  }

  Row rate, bonus;
};

/// The state of a block's channels.
struct BlockState {
  BlockState() { std::fill_n(maximum.values, kBlock, -std::numeric_limits<float>::infinity()); }

  HWY_INLINE Sums get(Index channel) const {
    return {num.get(channel), den.get(channel), maximum.get(channel)};
  }

  HWY_INLINE void set(const Sums& sums, Index channel) {
    num.set(sums.num, channel);
    den.set(sums.den, channel);
    maximum.set(sums.maximum, channel);
  }

  /// From and to channels of a state [3, channels].
  void read(const float* state, Index channels, const BlockOfSequence& block) {
    Row* const rows[] = {&num, &den, &maximum};
    for (Index row = 0; row < kWkvStateRows; ++row)
      std::copy_n(state + row * channels + block.first, block.count, rows[row]->values);
  }

  void write(float* state, Index channels, const BlockOfSequence& block) const {
    const Row* const rows[] = {&num, &den, &maximum};
    for (Index row = 0; row < kWkvStateRows; ++row)
      std::copy_n(rows[row]->values, block.count, state + row * channels + block.first);
  }

  Row num, den, maximum;
};

void forwardBlock(const WkvShape& shape,
                  const WkvInputs& inputs,
                  const WkvStates& states,
                  float* out,
                  const BlockOfSequence& block) {
  const Index channels = shape.channels, stateSize = kWkvStateRows * channels;
  const BlockRates rates(inputs, block);
  BlockState state;
  if (states.before != nullptr)
    state.read(states.before + block.sequence * stateSize, channels, block);
  const Index ahead = kTokensAhead * channels;
  for (Index token = 0; token < shape.length; ++token) {
    if (states.chunks != nullptr && token % kWkvChunk == 0) {
      const Index chunk = block.sequence * shape.chunks() + token / kWkvChunk;
      state.write(states.chunks + chunk * stateSize, channels, block);
    }
    const Index at = (block.sequence * shape.length + token) * channels + block.first;
    forVectors(0, block.count, [&](Index c, const auto& memory) HWY_ATTR {
      hwy::Prefetch(inputs.keys + at + c + ahead);
      hwy::Prefetch(inputs.values + at + c + ahead);
      const Vector k = memory.load(inputs.keys + at + c);
      const Vector v = memory.load(inputs.values + at + c);
      Sums sums = state.get(c);
      const Weights weights = weightsAt(sums, k, rates.bonus.get(c));
      const Vector num = hn::MulAdd(weights.past, sums.num, hn::Mul(weights.present, v));
      const Vector den = hn::MulAdd(weights.past, sums.den, weights.present);
      memory.store(hn::Div(num, den), out + at + c);
      advance(sums, k, v, rates.rate.get(c));
      state.set(sums, c);
    });
  }
  if (states.after != nullptr)
    state.write(states.after + block.sequence * stateSize, channels, block);
}

/// What the backward pass reads of a token: the page in wkv_kernel.h names it.
struct TokenShares {
  Row past;       ///< 1 - s
  Row present;    ///< s
  Row kept;       ///< 1 - r
  Row added;      ///< r
  Row deviation;  ///< v - M
};

/// The gradients that one thread carries through a block's channels.
struct BlockGradients {
  Row mean, logarithm;  ///< dM and dZ.
  Row rate, bonus;      ///< The sums over the tokens of a chunk.
};

/// The backward pass of a block of channels; one object for each thread.
class BackwardBlock {
 public:
  BackwardBlock(const WkvShape& shape,
                const WkvInputs& inputs,
                const float* dOut,
                const WkvGradients& gradients)
      : shape_(shape),
        inputs_(inputs),
        dOut_(dOut),
        gradients_(gradients),
        shares_(allocateAligned<TokenShares>(kWkvChunk)) {}

  /// Writes the gradients of keys and values, and those of decay and bonus from this sequence
  /// alone, [2, channels].
  void run(const BlockOfSequence& block, const float* chunks, double* dRates) {
    const Index channels = shape_.channels;
    const BlockRates rates(inputs_, block);
    BlockGradients carried;
    for (Index chunk = shape_.chunks(); chunk-- > 0;) {
      const Index from = block.sequence * shape_.chunks() + chunk;
      const Index first = chunk * kWkvChunk;
      const Index count = std::min(kWkvChunk, shape_.length - first);
      const Index at = (block.sequence * shape_.length + first) * channels + block.first;
      BlockState state;
      state.read(chunks + from * kWkvStateRows * channels, channels, block);
      findShares(state, rates, at, count, block.count);
      carried.rate = carried.bonus = {};
      for (Index token = count; token-- > 0;)
        passBack(shares_[token], at + token * channels, block.count, carried);
      for (Index c = 0; c < block.count; ++c) {
        dRates[block.first + c] += static_cast<double>(carried.rate.values[c]);
        dRates[channels + block.first + c] += static_cast<double>(carried.bonus.values[c]);
      }
    }
  }

 private:
  HWY_INLINE void findShares(
      BlockState& state, const BlockRates& rates, Index at, Index tokens, Index columns) {
    const Floats d;
    const Vector one = hn::Set(d, 1);
    const Index ahead = kTokensAhead * shape_.channels;
    Row means;
    forVectors(0, columns, [&](Index c, const auto&) HWY_ATTR {
      const Sums sums = state.get(c);
      const auto isEmpty = hn::Eq(sums.den, hn::Zero(d));
      means.set(hn::IfThenZeroElse(isEmpty, hn::Div(sums.num, sums.den)), c);
    });
    for (Index token = 0; token < tokens; ++token, at += shape_.channels) {
      TokenShares& shares = shares_[token];
      forVectors(0, columns, [&](Index c, const auto& memory) HWY_ATTR {
        hwy::Prefetch(inputs_.keys + at + c + ahead);
        hwy::Prefetch(inputs_.values + at + c + ahead);
        hwy::Prefetch(dOut_ + at + c);
        const Vector k = memory.load(inputs_.keys + at + c);
        const Vector v = memory.load(inputs_.values + at + c);
        Sums sums = state.get(c);
        const Weights now = weightsAt(sums, k, rates.bonus.get(c));
        const Vector past = hn::Mul(now.past, sums.den);
        const Vector share = hn::Div(one, hn::Add(past, now.present));
        shares.past.set(hn::Mul(past, share), c);
        shares.present.set(hn::Mul(now.present, share), c);
        shares.deviation.set(hn::Sub(v, means.get(c)), c);

        const Vector before = sums.den;
        const Weights next = advance(sums, k, v, rates.rate.get(c));
        const Vector kept = hn::Mul(next.past, before);
        const Vector part = hn::Div(one, hn::Add(kept, next.present));
        shares.kept.set(hn::Mul(kept, part), c);
        shares.added.set(hn::Mul(next.present, part), c);
        means.set(hn::Div(sums.num, sums.den), c);
        state.set(sums, c);
      });
    }
  }

  HWY_INLINE void passBack(const TokenShares& shares,
                           Index at,
                           Index columns,
                           BlockGradients& carried) {
    const Index ahead = kTokensAhead * shape_.channels;
    forVectors(0, columns, [&](Index c, const auto& memory) HWY_ATTR {
      hwy::Prefetch(gradients_.keys + at + c - ahead);
      hwy::Prefetch(gradients_.values + at + c - ahead);
      const Vector dOut = memory.load(dOut_ + at + c);
      const Vector past = shares.past.get(c), present = shares.present.get(c);
      const Vector kept = shares.kept.get(c), added = shares.added.get(c);
      const Vector deviation = shares.deviation.get(c);
      const Vector dMean = carried.mean.get(c), dLogarithm = carried.logarithm.get(c);
      const Vector now = hn::Mul(hn::Mul(hn::Mul(past, present), deviation), dOut);
      const Vector next = hn::Mul(hn::Mul(hn::Mul(kept, added), deviation), dMean);
      const Vector both = hn::Add(now, next);
      const Vector older = hn::Mul(kept, dLogarithm);
      memory.store(hn::MulAdd(present, dOut, hn::Mul(added, dMean)), gradients_.values + at + c);
      memory.store(hn::MulAdd(added, dLogarithm, both), gradients_.keys + at + c);
      carried.bonus.set(hn::Add(carried.bonus.get(c), now), c);
      carried.rate.set(hn::Add(carried.rate.get(c), hn::Sub(next, older)), c);
      carried.mean.set(hn::MulAdd(past, dOut, hn::Mul(kept, dMean)), c);
      carried.logarithm.set(hn::Sub(older, both), c);
    });
  }

  const WkvShape& shape_;
  const WkvInputs& inputs_;
  const float* dOut_;
  const WkvGradients& gradients_;
  hwy::AlignedFreeUniquePtr<TokenShares[]> shares_;  ///< [kWkvChunk]
};

}  // namespace

void forwardOf(const WkvShape& shape,
               const WkvInputs& inputs,
               const WkvStates& states,
               float* out,
               const ParallelFor& parallelFor) {
  parallelFor(shape.batch * BlockOfSequence::blocksOf(shape), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      forwardBlock(shape, inputs, states, out, BlockOfSequence(shape, i));
  });
}

void backwardOf(const WkvShape& shape,
                const WkvInputs& inputs,
                const float* chunks,
                const float* dOut,
                const WkvGradients& gradients,
                const ParallelFor& parallelFor) {
  const Index channels = shape.channels;
  const AlignedBuffer<double> dRates(shape.batch * 2 * channels);
  parallelFor(shape.batch * BlockOfSequence::blocksOf(shape), [&](Index begin, Index end) {
    BackwardBlock backward(shape, inputs, dOut, gradients);
    for (Index i = begin; i < end; ++i) {
      const BlockOfSequence block(shape, i);
      backward.run(block, chunks, dRates.get() + block.sequence * 2 * channels);
    }
  });
  for (Index c = 0; c < channels; ++c) {
    double dRate = 0, dBonus = 0;
    for (Index sequence = 0; sequence < shape.batch; ++sequence) {
      dRate += dRates.get()[sequence * 2 * channels + c];
      dBonus += dRates.get()[(sequence * 2 + 1) * channels + c];
    }
    gradients.decay[c] = static_cast<float>(dRate * std::exp(static_cast<double>(inputs.decay[c])));
    gradients.bonus[c] = static_cast<float>(dBonus);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(forwardOf);
HWY_EXPORT(backwardOf);

void wkvForward(const WkvShape& shape,
                const WkvInputs& inputs,
                const WkvStates& states,
                float* out,
                const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(forwardOf)(shape, inputs, states, out, parallelFor);
}

void wkvBackward(const WkvShape& shape,
                 const WkvInputs& inputs,
                 const float* chunks,
                 const float* dOut,
                 const WkvGradients& gradients,
                 const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(backwardOf)(shape, inputs, chunks, dOut, gradients, parallelFor);
}

}  // namespace lambda
#endif
