#include "engine/layers/lambda/causal_lambda.h"

#include <limits>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"
#include "engine/layers/lambda/key_normalization.h"
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

bool isFloat(const at::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kFloat;
}

/// A key with the weight of no position.
double keyOfNothing(KeyNormalization normalization) {
  switch (normalization) {
    case KeyNormalization::softmax:
      return -std::numeric_limits<double>::infinity();
    case KeyNormalization::l2:
      return 0;
    case KeyNormalization::none:
      break;
  }
  return 1;
}

/// A key [b, 1, c] with the weight of all keys [b, m, c] together.
at::Tensor keyOfAll(const at::Tensor& keys, KeyNormalization normalization) {
  switch (normalization) {
    case KeyNormalization::softmax:
      return at::logsumexp(keys, 1, /*keepdim=*/true);
    case KeyNormalization::l2:
      return keys.square().sum(1, /*keepdim=*/true).sqrt();
    case KeyNormalization::none:
      break;
  }
  return keys.narrow(1, 0, 1).clone();
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
        shape, inputsOf(q, keys, values), {}, y.mutable_data_ptr<float>(), onTorchThreads);
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

at::Tensor continueCausalLambda(const LambdaOperands& operands,
                                KeyNormalization normalization,
                                const SeenLambdas& seen) {
  const at::NoGradGuard noGradients;
  const at::Tensor &q = operands.queries, &values = operands.values;
  const std::int64_t b = q.size(0), n = q.size(1), k = q.size(3), v = values.size(2);
  const std::int64_t u = values.size(1) / n;
  if (!seen.lambdas.defined()) {
    seen.lambdas = at::zeros({b, u * k, v}, values.options());
    seen.key =
        at::full({b, 1, u * k}, keyOfNothing(normalization), values.options().dtype(at::kDouble));
  }
  if (isFloat(q) && isFloat(operands.keys) && isFloat(values)) {
    const at::Tensor dense = q.contiguous(), denseKeys = operands.keys.contiguous();
    const at::Tensor denseValues = values.contiguous();
    at::Tensor y = at::empty({b, n, q.size(2), v}, q.options());
    // Copies, because others may keep what was seen before.
    seen.lambdas = seen.lambdas.clone();
    seen.key = seen.key.clone();
    causalLambdaForward(
        shapeOf(dense, denseValues, seenKeysOf(normalization)),
        inputsOf(dense, denseKeys, denseValues),
        {seen.lambdas.mutable_data_ptr<float>(), seen.key.mutable_data_ptr<double>()},
        y.mutable_data_ptr<float>(),
        onTorchThreads);
    return y;
  }
  // What was seen is one more position of the context, before those of the piece.
  const at::Tensor keys = at::cat({seen.key, operands.keys.reshape({b, n, u * k})}, 1);
  const at::Tensor mask =
      at::ones({n, n + 1}, at::TensorOptions(at::kBool).device(q.device())).tril(1);
  const at::Tensor kbar =
      normalizeKeys(keys, normalization, mask).to(values.scalar_type());  // [b, n, 1 + n, u k]
  const at::Tensor kept = kbar.select(2, 0), added = kbar.narrow(2, 1, n);
  const at::Tensor y = applyMaskedContentLambdas({q, added.reshape({b, n, n * u, k}), values}) +
                       at::matmul((q.unsqueeze(3) * kept.unflatten(2, {1, u, k})).flatten(3),
                                  seen.lambdas.unsqueeze(1));
  const at::Tensor more =
      at::einsum("bmuk,bmuv->bukv",
                 {added.select(1, n - 1).unflatten(2, {u, k}), values.unflatten(1, {n, u})});
  seen.lambdas = kept.select(1, n - 1).unsqueeze(2) * seen.lambdas + more.flatten(1, 2);
  seen.key = keyOfAll(keys, normalization);
  return y;
}

}  // namespace lambda
