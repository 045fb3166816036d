// The CPU's side of fused_core.h: the autograd function around the kernels of
// engine/kernels/lambda_core, and the choice between them and CUDA. The backward pass makes scores
// again, so only the inputs are saved.

#include "engine/layers/lambda/fused_core.h"

#include <optional>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/layers/lambda/core_kernel.h"
#include "engine/layers/lambda/core_shape_of.h"
#include "engine/layers/lambda/cuda_fused_core.h"
#include "engine/layers/once_differentiable.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kOrder = "order";

const float* floatsOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
}

CoreInputs inputsOf(const at::Tensor& queries,
                    const at::Tensor& keys,
                    const at::Tensor& values,
                    const at::Tensor& table,
                    const at::Tensor& tableRows) {
  return {floatsOf(queries),
          floatsOf(keys),
          floatsOf(values),
          floatsOf(table),
          tableRows.defined() ? tableRows.const_data_ptr<std::int32_t>() : nullptr};
}

at::Tensor contiguous(const std::optional<at::Tensor>& tensor) {
  return tensor ? tensor->contiguous() : at::Tensor();
}

class FusedCore : public torch::autograd::Function<FusedCore> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& queriesIn,
                            const std::optional<at::Tensor>& keysIn,
                            const at::Tensor& valuesIn,
                            const std::optional<at::Tensor>& tableIn,
                            const std::optional<at::Tensor>& rowsIn,
                            const std::optional<LocalWindow>& window,
                            CoreOrder order,
                            bool mayRound) {
    const at::Tensor queries = queriesIn.contiguous(), keys = contiguous(keysIn);
    const at::Tensor values = valuesIn.contiguous(), table = contiguous(tableIn);
    const at::Tensor tableRows = contiguous(rowsIn);
    CoreShape shape = coreShapeOf(queries, keys, values, table, window);
    shape.order = order;
    const CoreInputs inputs = inputsOf(queries, keys, values, table, tableRows);
    const at::Tensor y = applyCoreKernel(shape, inputs, mayRound);
    context->save_for_backward({queries, keys, values, table, tableRows});
    context->saved_data[kOrder] = static_cast<std::int64_t>(order);
    context->saved_data[kWindow] = saved(window);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("lambda core");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &queries = saved[0], &keys = saved[1], &values = saved[2], &table = saved[3];
    CoreShape shape =
        coreShapeOf(queries, keys, values, table, savedWindow(context->saved_data[kWindow]));
    shape.order = static_cast<CoreOrder>(context->saved_data[kOrder].toInt());
    const at::Tensor dy = outputs[0].contiguous();
    const auto like = [](const at::Tensor& tensor) {
      return tensor.defined() ? at::empty_like(tensor) : at::Tensor();
    };
    const variable_list gradients{like(queries), like(keys), like(values), like(table)};
    const auto target = [&](std::size_t i) {
      return gradients[i].defined() ? gradients[i].mutable_data_ptr<float>() : nullptr;
    };
    applyCoreBackward(shape,
                      inputsOf(queries, keys, values, table, saved[4]),
                      dy,
                      {target(0), target(1), target(2), target(3)});
    // One for each argument of forward() but the context.
    return {gradients[0], gradients[1], gradients[2], gradients[3], {}, {}, {}, {}};
  }
};

}  // namespace

at::Tensor applyFusedCore(const LambdaOperands& operands,
                          const at::Tensor& table,
                          const TableRows& rows,
                          CoreOrder order) {
  if (const CudaKernels* kernels = cudaKernelsFor(operands)) {
    return applyCudaFusedCore(*kernels, operands, table, rows);
  }
  const auto inFloat = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(at::kFloat) : tensor;
  };
  const at::Tensor y = FusedCore::apply(inFloat(operands.queries),
                                        ifDefined(inFloat(operands.keys)),
                                        inFloat(operands.values),
                                        ifDefined(table),
                                        ifDefined(rows.pairRows),
                                        rows.window,
                                        order,
                                        operands.queries.scalar_type() == at::kBFloat16);
  return y.to(operands.queries.scalar_type());
}

}  // namespace lambda
