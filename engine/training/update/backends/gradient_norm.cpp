#include "engine/training/update/backends/gradient_norm.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/kernels/update/weight_update_kernel.h"
#include "engine/layers/element_of.h"
#include "engine/layers/torch_threads.h"
#include "engine/training/update/backends/dense_values.h"

namespace lambda {

at::Tensor gradientNormOf(const std::vector<at::Tensor>& gradients) {
  const auto isForKernel = [](const at::Tensor& each) { return each.is_cpu() && isDense(each); };
  if (!std::ranges::all_of(gradients, isForKernel)) return gradientNormByAten(gradients);
  std::vector<SummedValues> values;
  for (const at::Tensor& each : gradients) {
    values.push_back({each.const_data_ptr(), elementOf(each), each.numel()});
  }
  return at::scalar_tensor(normOf(values, onTorchThreads), at::kDouble);
}

at::Tensor gradientNormByAten(const std::vector<at::Tensor>& gradients) {
  if (gradients.empty()) return at::zeros({}, at::kDouble);
  return at::stack(at::_foreach_norm(gradients, /*ord=*/2, at::kDouble)).norm();
}

}  // namespace lambda
