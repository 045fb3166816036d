#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// How weights w move along their gradient g; r is the learning rate, d the weight decay of their
/// tensor.
enum class UpdateRule {
  sgd,       ///< w -= r (g + d w)
  momentum,  ///< firstMoment = momentum firstMoment + g + d w;  w -= r firstMoment
  nesterov,  ///< The same firstMoment;  w -= r (g + d w + momentum firstMoment)
  adam,      ///< Kingma and Ba (2015), algorithm 1, with g + d w in the place of g.
  adamw,     ///< Loshchilov and Hutter (2019), algorithm 2: w -= r d w beside a step of Adam.
};

/// What all weights share in one update.
struct UpdateRates {
  UpdateRule rule = UpdateRule::sgd;
  double learningRate = 0;
  double momentum = 0;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double gradientScale = 1;  ///< Gradients are multiplied by it while they are read.
  double averageShare = 0;   ///< average += averageShare (w - average), 0..1, after the update.
};

/// One tensor of weights; all pointers are to `size` values in the same order, float32 where
/// nothing else is said.
struct UpdatedWeights {
  std::int64_t size = 0;
  const void* gradient = nullptr;  ///< Null: the weights stay, and only their average moves.
  Element gradientElement = Element::float32;
  float* weights = nullptr;
  Bfloat16* rounded =
      nullptr;               ///< A copy of the weights that moves with them; null = there is none.
  float* firstMoment = nullptr;   ///< Momentum, or the mean of the gradients; not for sgd.
  float* secondMoment = nullptr;  ///< The mean of their squares; adam and adamw.
  float* average = nullptr;  ///< Null where none is kept.
  double rateFactor = 1;     ///< The learning rate of these weights as a factor of the update's.
  double weightDecay = 0;
  double steps = 1;  ///< Updates of these weights, with this one; adam and adamw.
};

/// Values to be summed over.
struct SummedValues {
  const void* values = nullptr;
  Element element = Element::float32;
  std::int64_t size = 0;
};

// The update of all weights of a network in one pass over memory: each gradient is read once, each
// weight, its state and its average are read once and written once, for all tensors in one parallel
// region. Vectors are the widest that the CPU has, found at run time. The same inputs give the same
// bits with any number of threads: values are worked on one by one, or summed in blocks that depend
// on the sizes alone.

void updateWeights(const UpdateRates& rates,
                   const std::vector<UpdatedWeights>& tensors,
                   const ParallelFor& parallelFor);

/// The 2-norm of all values together, in double. Not finite where a value is not.
double normOf(const std::vector<SummedValues>& tensors, const ParallelFor& parallelFor);

}  // namespace lambda
