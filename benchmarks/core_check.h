#pragma once

#include <functional>
#include <vector>

#include "benchmarks/core_forms.h"
#include "engine/values/run_config.h"

namespace lambda {

/// What enters a core, as leaves of the gradient, and the gradient of its output.
struct CoreTensors {
  LambdaOperands operands;
  at::Tensor dy;  ///< [b, n, h, v]

  std::size_t bytes() const;
};

/// N(0, 1); the keys after their softmax.
CoreTensors makeCoreTensors(const CoreCase& shape, int batch, at::ScalarType type);

/// New leaves from what `change` makes of each tensor.
CoreTensors changed(const CoreTensors& tensors,
                    const std::function<at::Tensor(const at::Tensor&)>& change);

/// The gradients of queries, keys, values and the embeddings that the form reads.
std::vector<at::Tensor> gradientsOf(const CoreForm& form,
                                    const at::Tensor& y,
                                    const CoreTensors& tensors,
                                    const CoreEmbeddings& embeddings);

/// How far each form is from the attention order in float64: output and gradients of queries, keys,
/// values and table, computed into poisoned tensors. Throws Error for one beyond the tolerance.
std::vector<double> checkForms(const std::vector<CoreForm>& forms,
                               const CoreTensors& tensors,
                               const CoreEmbeddings& embeddings,
                               Precision precision);

}  // namespace lambda
