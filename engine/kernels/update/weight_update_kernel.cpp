#include "engine/kernels/update/weight_update_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/update/weight_update_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Values of a block: those of five arrays fit the second-level cache of a core.
constexpr Index kBlock = 8192;

/// A range begin..end of one tensor's values.
struct BlockOfTensor {
  std::size_t tensor;
  Index begin;
  Index end;
};

template <class Tensor>
std::vector<BlockOfTensor> blocksOf(const std::vector<Tensor>& tensors) {
  std::vector<BlockOfTensor> blocks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (Index begin = 0; begin < tensors[i].size; begin += kBlock) {
      blocks.push_back({i, begin, std::min(begin + kBlock, tensors[i].size)});
    }
  }
  return blocks;
}

constexpr bool isAdaptive(UpdateRule rule) {
  return rule == UpdateRule::adam || rule == UpdateRule::adamw;
}

/// Whether the weight decay is no part of the gradient.
constexpr bool isDecoupled(UpdateRule rule) {
  return rule == UpdateRule::adamw || rule == UpdateRule::lion;
}

constexpr bool hasFirst(UpdateRule rule) {
  return rule != UpdateRule::sgd;
}

/// The factors of one tensor's update in float32.
struct Factors {
  Factors(const UpdateRates& rates, const UpdatedWeights& tensor)
      : gradient(static_cast<float>(rates.gradientScale)),
        decay(static_cast<float>(tensor.weightDecay)),
        kept(static_cast<float>(1 - learningRateOf(rates, tensor) * tensor.weightDecay)),
        rate(static_cast<float>(learningRateOf(rates, tensor))),
        momentum(static_cast<float>(rates.momentum)),
        oneMinusBeta1(static_cast<float>(1 - rates.beta1)),
        beta2(static_cast<float>(rates.beta2)),
        oneMinusBeta2(static_cast<float>(1 - rates.beta2)),
        epsilon(static_cast<float>(rates.epsilon)),
        average(static_cast<float>(rates.averageShare)) {
    if (!isAdaptive(rates.rule)) return;
    rate = static_cast<float>(learningRateOf(rates, tensor) /
                              (1 - std::pow(rates.beta1, tensor.steps)));
    deviation = static_cast<float>(1 / std::sqrt(1 - std::pow(rates.beta2, tensor.steps)));
  }

  static double learningRateOf(const UpdateRates& rates, const UpdatedWeights& tensor) {
    return rates.learningRate * tensor.rateFactor;
  }

  float gradient;
  float decay;
  float kept;  ///< Factor of a weight before its step: 1 - learning rate * weight decay.
  float rate;
  float momentum;
  float oneMinusBeta1;
  float beta2;
  float oneMinusBeta2;
  float deviation = 1;
  float epsilon;
  float average;
};

/// Updates one vector of weights and their moments.
template <UpdateRule kRule>
struct Move {
  HWY_INLINE void run(Vector g, Vector& w, Vector& firstMoment, Vector& secondMoment) const {
    const Floats d;
    g = hn::Mul(g, hn::Set(d, factors.gradient));
    if constexpr (isDecoupled(kRule)) {
      w = hn::Mul(w, hn::Set(d, factors.kept));
    } else {
      g = hn::MulAdd(w, hn::Set(d, factors.decay), g);
    }
    if constexpr (isAdaptive(kRule)) {
      firstMoment =
          hn::MulAdd(hn::Sub(g, firstMoment), hn::Set(d, factors.oneMinusBeta1), firstMoment);
      const Vector square = hn::Mul(hn::Mul(g, g), hn::Set(d, factors.oneMinusBeta2));
      secondMoment = hn::MulAdd(secondMoment, hn::Set(d, factors.beta2), square);
      const Vector deviation = hn::MulAdd(
          hn::Sqrt(secondMoment), hn::Set(d, factors.deviation), hn::Set(d, factors.epsilon));
      w = hn::NegMulAdd(hn::Div(firstMoment, deviation), hn::Set(d, factors.rate), w);
      return;
    }
    if constexpr (kRule == UpdateRule::lion) {
      const Vector mean =
          hn::MulAdd(hn::Sub(g, firstMoment), hn::Set(d, factors.oneMinusBeta1), firstMoment);
      const Vector sign =
          hn::IfThenZeroElse(hn::Eq(mean, hn::Zero(d)), hn::CopySign(hn::Set(d, 1.0F), mean));
      w = hn::NegMulAdd(sign, hn::Set(d, factors.rate), w);
      firstMoment =
          hn::MulAdd(hn::Sub(g, firstMoment), hn::Set(d, factors.oneMinusBeta2), firstMoment);
      return;
    }
    Vector step = g;
    if constexpr (hasFirst(kRule)) {
      firstMoment = hn::MulAdd(firstMoment, hn::Set(d, factors.momentum), g);
      step = kRule == UpdateRule::nesterov
                 ? hn::MulAdd(firstMoment, hn::Set(d, factors.momentum), g)
                 : firstMoment;
    }
    w = hn::NegMulAdd(step, hn::Set(d, factors.rate), w);
  }

  const Factors& factors;
};

/// average + share (w - average), computed from the nearer of the two, so that a share of 1 gives
/// the weight exactly.
HWY_INLINE Vector averaged(Vector average, Vector w, float share) {
  const Floats d;
  const Vector difference = hn::Sub(w, average);
  return share < 0.5F ? hn::MulAdd(difference, hn::Set(d, share), average)
                      : hn::NegMulAdd(difference, hn::Set(d, 1 - share), w);
}

template <UpdateRule kRule, bool kHasAverage, class T, class Memory>
HWY_INLINE void moveAt(const UpdatedWeights& tensor,
                       const T* gradient,
                       const Factors& factors,
                       Index i,
                       const Memory& memory) {
  Vector w = memory.load(tensor.weights + i);
  Vector firstMoment = hn::Zero(Floats()), secondMoment = firstMoment;
  if constexpr (hasFirst(kRule)) firstMoment = memory.load(tensor.firstMoment + i);
  if constexpr (isAdaptive(kRule)) secondMoment = memory.load(tensor.secondMoment + i);
  Move<kRule>{factors}.run(memory.load(gradient + i), w, firstMoment, secondMoment);
  memory.store(w, tensor.weights + i);
  if (tensor.rounded != nullptr) memory.store(w, tensor.rounded + i);
  if constexpr (hasFirst(kRule)) memory.store(firstMoment, tensor.firstMoment + i);
  if constexpr (isAdaptive(kRule)) memory.store(secondMoment, tensor.secondMoment + i);
  if constexpr (kHasAverage) {
    memory.store(averaged(memory.load(tensor.average + i), w, factors.average), tensor.average + i);
  }
}

template <class Memory>
HWY_INLINE void averageAt(const UpdatedWeights& tensor,
                          const Factors& factors,
                          Index i,
                          const Memory& memory) {
  const Vector w = memory.load(tensor.weights + i);
  memory.store(averaged(memory.load(tensor.average + i), w, factors.average), tensor.average + i);
}

template <UpdateRule kRule, class T>
void moveBlock(const UpdatedWeights& tensor,
               const T* gradient,
               const Factors& factors,
               const BlockOfTensor& block) {
  if (tensor.average != nullptr) {
    forVectors(block.begin, block.end, [&](Index i, const auto& memory) HWY_ATTR {
      moveAt<kRule, true>(tensor, gradient, factors, i, memory);
    });
  } else {
    forVectors(block.begin, block.end, [&](Index i, const auto& memory) HWY_ATTR {
      moveAt<kRule, false>(tensor, gradient, factors, i, memory);
    });
  }
}

/// Calls `work` with the pointer cast to the type of its values.
template <class Work>
void withElements(const void* values, Element element, const Work& work) {
  if (element == Element::bfloat16) {
    work(static_cast<const Bfloat16*>(values));
  } else {
    work(static_cast<const float*>(values));
  }
}

template <UpdateRule kRule>
void updateBlock(const UpdatedWeights& tensor, const Factors& factors, const BlockOfTensor& block) {
  if (tensor.gradient != nullptr) {
    withElements(tensor.gradient, tensor.gradientElement, [&](const auto* gradient) {
      moveBlock<kRule>(tensor, gradient, factors, block);
    });
  } else if (tensor.average != nullptr) {
    forVectors(block.begin, block.end, [&](Index i, const auto& memory) HWY_ATTR {
      averageAt(tensor, factors, i, memory);
    });
  }
}

template <UpdateRule kRule>
void updateBy(const UpdateRates& rates,
              const std::vector<UpdatedWeights>& tensors,
              const ParallelFor& parallelFor) {
  std::vector<Factors> factors;
  factors.reserve(tensors.size());
  for (const UpdatedWeights& tensor : tensors) factors.emplace_back(rates, tensor);
  const std::vector<BlockOfTensor> blocks = blocksOf(tensors);
  parallelFor(static_cast<Index>(blocks.size()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const BlockOfTensor& block = blocks[static_cast<std::size_t>(i)];
      updateBlock<kRule>(tensors[block.tensor], factors[block.tensor], block);
    }
  });
}

using Doubles = hn::ScalableTag<double>;
using FewFloats = hn::Rebind<float, Doubles>;

HWY_INLINE hn::Vec<Doubles> loadDoubles(const float* from) {
  return hn::PromoteTo(Doubles(), hn::LoadU(FewFloats(), from));
}

HWY_INLINE hn::Vec<Doubles> loadDoubles(const Bfloat16* from) {
  const hn::RebindToUnsigned<FewFloats> bits;
  const hn::Rebind<Bfloat16, FewFloats> upperHalves;
  const auto upper = hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(upperHalves, from)));
  return hn::PromoteTo(Doubles(), hn::BitCast(FewFloats(), upper));
}

/// The sum of the squares in double. Four independent sums keep the adders busy.
template <class T>
double squaresOf(const T* values, Index size) {
  const Doubles d;
  const auto width = static_cast<Index>(hn::Lanes(d));
  const auto add = [&](const T* from, auto& sum) HWY_ATTR {
    const auto value = loadDoubles(from);
    sum = hn::MulAdd(value, value, sum);
  };
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  Index i = 0;
  for (; i + 4 * width <= size; i += 4 * width) {
    add(values + i, sum0);
    add(values + i + width, sum1);
    add(values + i + 2 * width, sum2);
    add(values + i + 3 * width, sum3);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  for (; i < size; ++i) {
    const auto value = static_cast<double>(hn::GetLane(loadFirst(values + i, 1)));
    sum += value * value;
  }
  return sum;
}

}  // namespace

void update(const UpdateRates& rates,
            const std::vector<UpdatedWeights>& tensors,
            const ParallelFor& parallelFor) {
  switch (rates.rule) {
    case UpdateRule::sgd:
      return updateBy<UpdateRule::sgd>(rates, tensors, parallelFor);
    case UpdateRule::momentum:
      return updateBy<UpdateRule::momentum>(rates, tensors, parallelFor);
    case UpdateRule::nesterov:
      return updateBy<UpdateRule::nesterov>(rates, tensors, parallelFor);
    case UpdateRule::adam:
      return updateBy<UpdateRule::adam>(rates, tensors, parallelFor);
    case UpdateRule::adamw:
      return updateBy<UpdateRule::adamw>(rates, tensors, parallelFor);
    case UpdateRule::lion:
      return updateBy<UpdateRule::lion>(rates, tensors, parallelFor);
  }
}

double norm(const std::vector<SummedValues>& tensors, const ParallelFor& parallelFor) {
  const std::vector<BlockOfTensor> blocks = blocksOf(tensors);
  std::vector<double> squares(blocks.size());
  parallelFor(static_cast<Index>(blocks.size()), [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const BlockOfTensor& block = blocks[i];
      const SummedValues& tensor = tensors[block.tensor];
      withElements(tensor.values, tensor.element, [&](const auto* values) {
        squares[i] = squaresOf(values + block.begin, block.end - block.begin);
      });
    }
  });
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(update);
HWY_EXPORT(norm);

void updateWeights(const UpdateRates& rates,
                   const std::vector<UpdatedWeights>& tensors,
                   const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(update)(rates, tensors, parallelFor);
}

double normOf(const std::vector<SummedValues>& tensors, const ParallelFor& parallelFor) {
  return HWY_DYNAMIC_DISPATCH(norm)(tensors, parallelFor);
}

}  // namespace lambda
#endif
