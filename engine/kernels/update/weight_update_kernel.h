#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// How weights w are updated from their gradient g; r is the learning rate, d the weight decay of
/// their tensor.
enum class UpdateRule {
  sgd,       ///< w -= r (g + d w)
  momentum,  ///< firstMoment = momentum firstMoment + g + d w;  w -= r firstMoment
  nesterov,  ///< The same firstMoment;  w -= r (g + d w + momentum firstMoment)
  adam,      ///< Kingma and Ba (2015), algorithm 1, with g + d w in the place of g.
  adamw,     ///< Loshchilov and Hutter (2019), algorithm 2: w -= r d w besides a step of Adam.
  /// Chen et al. (2023), algorithm 2: w -= r (d w + sign(beta1 firstMoment + (1 - beta1) g)), then
  /// firstMoment = beta2 firstMoment + (1 - beta2) g.
  lion,
};

/// The rates of one update, which all weights share.
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

/// One tensor of weights. All pointers are to `size` values in the same order, float32 unless
/// another type is given.
struct UpdatedWeights {
  std::int64_t size = 0;
  const void* gradient = nullptr;  ///< Null: the weights stay, only the average is updated.
  Element gradientElement = Element::float32;
  float* weights = nullptr;
  Bfloat16* rounded = nullptr;    ///< bfloat16 copy of the weights, updated with them; null = none.
  float* firstMoment = nullptr;   ///< Momentum, or mean of the gradients; not for sgd.
  float* secondMoment = nullptr;  ///< Mean of the squared gradients; adam and adamw.
  float* average = nullptr;       ///< Average of the weights; null = none.
  double rateFactor = 1;          ///< Multiplies UpdateRates::learningRate for these weights.
  double weightDecay = 0;
  double steps = 1;  ///< Number of updates including this one; adam and adamw.
};

/// A tensor for normOf().
struct SummedValues {
  const void* values = nullptr;
  Element element = Element::float32;
  std::int64_t size = 0;
};

// The update of all weights of a network in one pass over memory: each gradient is read once, each
// weight, its state and its average are read once and written once, for all tensors in one parallel
// region. Vectors are the widest that the CPU has, chosen at run time. The same inputs give the
// same bits with any number of threads: values are updated independently, or summed in blocks that
// depend on the sizes alone.

/// Updates the weights, their moments and their averages in place.
void updateWeights(const UpdateRates& rates,
                   const std::vector<UpdatedWeights>& tensors,
                   const ParallelFor& parallelFor);

/// The 2-norm of all values together, summed in double. It is not finite if a value is not.
double normOf(const std::vector<SummedValues>& tensors, const ParallelFor& parallelFor);

}  // namespace lambda
