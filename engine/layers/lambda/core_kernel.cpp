#include "engine/layers/lambda/core_kernel.h"

#include <ATen/ops/empty.h>

#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

bool poolsInKernel(const CoreShape& shape, const CoreInputs& inputs, bool mayRound) {
  CoreShape unpooled = shape;
  unpooled.pooling.reset();
  return !(mayRound && bfloat16CoreUnit(unpooled, inputs.tableRowOf)) &&
         poolsOutputs(shape, inputs.tableRowOf);
}

at::Tensor applyCoreKernel(const CoreShape& shape,
                           const CoreInputs& inputs,
                           bool mayRound,
                           const MakeOperands& make) {
  const auto unit = mayRound ? bfloat16CoreUnit(shape, inputs.tableRowOf) : std::nullopt;
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
    bfloat16CoreBackward(bfloat16CoreUnit(shape, inputs.tableRowOf).value(),
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
