#include "engine/layers/lambda/core_kernel.h"

#include <ATen/ops/empty.h>

#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

/// The unit of a kernel for bfloat16; none for the others.
std::optional<PairUnit> unitOf(LayerKernel kernel) {
  if (kernel == LayerKernel::vectorCore) return PairUnit::vectors;
  if (kernel == LayerKernel::amxCore) return PairUnit::matrices;
  return std::nullopt;
}

}  // namespace

at::Tensor applyCoreKernel(const CoreShape& shape,
                           const CoreInputs& inputs,
                           bool mayRound,
                           const MakeOperands& make) {
  const auto unit = unitOf(coreKernel(shape, inputs.tableRowOf, mayRound));
  const at::Tensor y = at::empty({shape.images, shape.outputs(), shape.heads, shape.valueDepth},
                                 at::dtype(unit ? at::kBFloat16 : at::kFloat));
  if (unit) {
    bfloat16CoreForward(
        *unit, shape, inputs, static_cast<Bfloat16*>(y.mutable_data_ptr()), onTorchThreads, make);
  } else {
    lambdaCoreForward(shape, inputs, y.mutable_data_ptr<float>(), onTorchThreads, make);
  }
  return y;
}

void applyCoreBackward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       const at::Tensor& dy,
                       const CoreGradients& gradients,
                       const MakeOperands& make,
                       const OnImages& finish) {
  if (dy.scalar_type() == at::kBFloat16) {
    bfloat16CoreBackward(unitOf(coreKernel(shape, inputs.tableRowOf, true)).value(),
                         shape,
                         inputs,
                         static_cast<const Bfloat16*>(dy.const_data_ptr()),
                         gradients,
                         onTorchThreads,
                         make,
                         finish);
  } else {
    lambdaCoreBackward(
        shape, inputs, dy.const_data_ptr<float>(), gradients, onTorchThreads, make, finish);
  }
}

}  // namespace lambda
