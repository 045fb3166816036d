#include "engine/layers/lambda/causal_lambda.h"

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kNormalization = "normalization";

SeenKeys seenKeysOf(KeyNormalization normalization) {
  switch (normalization) {
    case KeyNormalization::softmax:
      return SeenKeys::softmax;
    case KeyNormalization::l2:
      return SeenKeys::l2;
    case KeyNormalization::none:
      break;
  }
  return SeenKeys::asTheyAre;
}

CausalLambdaShape shapeOf(const at::Tensor& q, const at::Tensor& values, SeenKeys keys) {
  return {.images = q.size(0),
          .positions = q.size(1),
          .intraDepth = values.size(1) / q.size(1),
          .heads = q.size(2),
          .queryDepth = q.size(3),
          .valueDepth = values.size(2),
          .keys = keys};
}

CausalLambdaInputs inputsOf(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values) {
  return {q.const_data_ptr<float>(), keys.const_data_ptr<float>(), values.const_data_ptr<float>()};
}

/// Only the operands are saved: the backward pass makes the lambdas again.
class CausalLambda : public torch::autograd::Function<CausalLambda> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& queriesIn,
                            const at::Tensor& keysIn,
                            const at::Tensor& valuesIn,
                            SeenKeys normalization) {
    const at::Tensor q = queriesIn.contiguous(), keys = keysIn.contiguous();
    const at::Tensor values = valuesIn.contiguous();
    const CausalLambdaShape shape = shapeOf(q, values, normalization);
    const at::Tensor y =
        at::empty({shape.images, shape.positions, shape.heads, shape.valueDepth}, q.options());
    causalLambdaForward(
        shape, inputsOf(q, keys, values), y.mutable_data_ptr<float>(), onTorchThreads);
    context->save_for_backward({q, keys, values});
    context->saved_data[kNormalization] = static_cast<std::int64_t>(normalization);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("causal lambda");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &keys = saved[1], &values = saved[2];
    const at::Tensor dy = outputs[0].contiguous();
    const variable_list gradients{at::empty_like(q), at::empty_like(keys), at::empty_like(values)};
    causalLambdaBackward(
        shapeOf(q, values, static_cast<SeenKeys>(context->saved_data[kNormalization].toInt())),
        inputsOf(q, keys, values),
        dy.const_data_ptr<float>(),
        {gradients[0].mutable_data_ptr<float>(),
         gradients[1].mutable_data_ptr<float>(),
         gradients[2].mutable_data_ptr<float>()},
        onTorchThreads);
    return {gradients[0], gradients[1], gradients[2], {}};
  }
};

}  // namespace

at::Tensor applyCausalLambda(const LambdaOperands& operands, KeyNormalization normalization) {
  return CausalLambda::apply(
      operands.queries, operands.keys, operands.values, seenKeysOf(normalization));
}

}  // namespace lambda
