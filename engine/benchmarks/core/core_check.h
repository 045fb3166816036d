#pragma once

#include <functional>
#include <vector>

#include "engine/benchmarks/core/core_forms.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The inputs of a core, as leaves of autograd, and the gradient of its output.
struct CoreTensors {
  LambdaOperands operands;
  at::Tensor dy;  ///< [b, n, h, v]

  std::size_t bytes() const;
};

/// Draws all tensors from N(0, 1); the keys are normalised by their softmax. A seed gives the same
/// values on every device.
CoreTensors makeCoreTensors(const CoreCase& shape,
                            int batch,
                            at::ScalarType type,
                            const at::Device& device = at::kCPU);

/// New leaves with `change` applied to each tensor.
CoreTensors changed(const CoreTensors& tensors,
                    const std::function<at::Tensor(const at::Tensor&)>& change);

/// The gradients of queries, keys, values and the embeddings that the form reads.
std::vector<at::Tensor> gradientsOf(const CoreForm& form,
                                    const at::Tensor& y,
                                    const CoreTensors& tensors,
                                    const CoreEmbeddings& embeddings);

/// Scores in float64 that are kept at a time: 2 GiB.
inline constexpr std::int64_t kMostScores = std::int64_t{1} << 28;

/// The gradients of queries, keys, values and table, and the output, by the attention order in
/// float64. Computes as many images at a time as have `mostScores` scores, at least one.
std::vector<at::Tensor> exactOutcomes(const CoreTensors& tensors,
                                      const CoreEmbeddings& embeddings,
                                      std::int64_t mostScores = kMostScores);

/// Throws Error if a GPU can't use the kernels of the engine, which then computes by plain ATen.
void requireKernels(const at::Device& device);

/// The distance of each form from the attention order in float64: output and gradients of queries,
/// keys, values and table, computed into poisoned tensors. Throws Error for a distance beyond the
/// tolerance.
std::vector<double> checkForms(const std::vector<CoreForm>& forms,
                               const CoreTensors& tensors,
                               const CoreEmbeddings& embeddings,
                               Precision precision);

}  // namespace lambda
