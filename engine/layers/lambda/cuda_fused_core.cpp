// The autograd function of cuda_fused_core.h: brings the operands to one type, allocates outputs
// and workspace, and queues the kernels on LibTorch's stream. Besides the inputs it saves the
// content lambdas of the forward pass, which the backward pass reads.

#include "engine/layers/lambda/cuda_fused_core.h"

#include <optional>

#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/layers/cuda/cuda_queue.h"
#include "engine/layers/element_of.h"
#include "engine/layers/lambda/core_shape_of.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/once_differentiable.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kKernels = "kernels";

const void* dataOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}

void* targetOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
}

/// The tensors that the kernels of a core read, contiguous and of one type, and the content
/// lambdas, which forward writes and backward reads.
struct KernelOperands {
  at::Tensor queries, keys, values, table, tableRows, pairs, starts, contentLambdas;

  CudaCoreInputs inputs() const {
    CudaCoreInputs inputs;
    inputs.shape = coreShapeOf(queries, keys, values, table);
    inputs.element = elementOf(queries);
    inputs.queries = dataOf(queries);
    inputs.keys = dataOf(keys);
    inputs.values = dataOf(values);
    inputs.table = dataOf(table);
    if (table.defined()) {
      inputs.tableRowOf = tableRows.const_data_ptr<std::int32_t>();
      inputs.pairCount = pairs.numel();
    }
    inputs.contentLambdas = targetOf(contentLambdas);
    return inputs;
  }
};

class CudaFusedCore : public torch::autograd::Function<CudaFusedCore> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const CudaKernels* kernels,
                            const at::Tensor& queries,
                            const std::optional<at::Tensor>& keys,
                            const at::Tensor& values,
                            const std::optional<at::Tensor>& table,
                            const std::optional<at::Tensor>& tableRows,
                            const std::optional<at::Tensor>& pairs,
                            const std::optional<at::Tensor>& starts) {
    const c10::DeviceGuard guard(queries.device());
    const auto asQueries = [&](const std::optional<at::Tensor>& tensor) {
      return tensor ? tensor->to(queries.options()).contiguous() : at::Tensor();
    };
    const auto asIndex = [&](const std::optional<at::Tensor>& tensor) {
      return tensor ? tensor->to(queries.device()).contiguous() : at::Tensor();
    };
    KernelOperands operands{asQueries(queries),
                            asQueries(keys),
                            asQueries(values),
                            asQueries(table),
                            asIndex(tableRows),
                            asIndex(pairs),
                            asIndex(starts),
                            {}};
    const std::int64_t b = queries.size(0), n = queries.size(1), h = queries.size(2);
    const std::int64_t k = queries.size(3), v = values.size(2);
    if (keys) operands.contentLambdas = at::empty({b, k, v}, queries.options());
    at::Tensor y = at::empty({b, n, h, v}, queries.options());
    requireSuccess(
        "a lambda core",
        kernels->forward(operands.inputs(), y.mutable_data_ptr(), queueOf(queries.device())));
    context->save_for_backward({operands.queries,
                                operands.keys,
                                operands.values,
                                operands.table,
                                operands.tableRows,
                                operands.pairs,
                                operands.starts,
                                operands.contentLambdas});
    context->saved_data[kKernels] = reinterpret_cast<std::int64_t>(kernels);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("lambda core");
    const variable_list saved = context->get_saved_variables();
    const KernelOperands operands{
        saved[0], saved[1], saved[2], saved[3], saved[4], saved[5], saved[6], saved[7]};
    const auto* kernels =
        reinterpret_cast<const CudaKernels*>(context->saved_data[kKernels].toInt());
    const c10::DeviceGuard guard(operands.queries.device());
    const at::Tensor dy = outputs[0].to(operands.queries.scalar_type()).contiguous();
    const auto like = [](const at::Tensor& tensor) {
      return tensor.defined() ? at::empty_like(tensor) : at::Tensor();
    };
    const at::Tensor dQueries = like(operands.queries), dKeys = like(operands.keys);
    const at::Tensor dValues = like(operands.values);
    at::Tensor dTable;
    if (operands.table.defined()) {
      dTable = at::empty_like(operands.table, operands.table.options().dtype(at::kFloat));
    }
    const CudaCoreInputs inputs = operands.inputs();
    const at::Tensor workspace = at::empty({kernels->workspaceBytes(inputs.shape, inputs.element)},
                                           dy.options().dtype(at::kByte));
    CudaPairIndex index;
    if (operands.table.defined()) {
      index = {operands.pairs.const_data_ptr<std::int32_t>(),
               operands.starts.const_data_ptr<std::int32_t>()};
    }
    requireSuccess("the gradients of a lambda core",
                   kernels->backward(inputs,
                                     index,
                                     dy.const_data_ptr(),
                                     {targetOf(dQueries),
                                      targetOf(dKeys),
                                      targetOf(dValues),
                                      static_cast<float*>(targetOf(dTable))},
                                     workspace.mutable_data_ptr(),
                                     queueOf(dy.device())));
    return {
        at::Tensor(), dQueries, dKeys, dValues, dTable, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

const CudaKernels* cudaKernelsFor(const LambdaOperands& operands) {
  const at::Tensor& queries = operands.queries;
  const bool fits = fitsCudaCore(LayerInput::of(queries, queries).type, queries.size(3));
  return queries.is_cuda() && fits ? cudaKernelsFor(queries.device()) : nullptr;
}

at::Tensor applyCudaFusedCore(const CudaKernels& kernels,
                              const LambdaOperands& operands,
                              const at::Tensor& table,
                              const TableRows& rows) {
  TORCH_CHECK(!rows.window, "lambda core: a window without rows is for the CPU");
  const PairIndex known = table.defined() && !rows.index.pairs.defined()
                              ? pairIndexOf(rows.pairRows, table.size(0))
                              : rows.index;
  return CudaFusedCore::apply(&kernels,
                              operands.queries,
                              ifDefined(operands.keys),
                              operands.values,
                              ifDefined(table),
                              ifDefined(rows.pairRows),
                              ifDefined(known.pairs),
                              ifDefined(known.starts));
}

}  // namespace lambda
