#include "engine/benchmarks/core_check.h"

#include <torch/autograd.h>

#include "engine/benchmarks/exactness.h"

namespace lambda {

namespace {

/// The output and the gradients; that of the embeddings is the gradient of their table.
std::vector<at::Tensor> outcomesOf(const CoreForm& form,
                                   const CoreTensors& tensors,
                                   const CoreEmbeddings& embeddings) {
  const at::Tensor y = form.apply(tensors.operands, embeddings);
  std::vector<at::Tensor> all = gradientsOf(form, y, tensors, embeddings);
  if (form.weight == &CoreEmbeddings::expanded) all.back() = foldToTable(all.back(), embeddings);
  all.push_back(y.detach());
  return all;
}

}  // namespace

std::size_t CoreTensors::bytes() const {
  return operands.queries.nbytes() + operands.keys.nbytes() + operands.values.nbytes() +
         dy.nbytes();
}

CoreTensors makeCoreTensors(const CoreCase& shape, int batch, at::ScalarType type) {
  const std::int64_t n = shape.positions(), h = shape.heads;
  const std::int64_t k = shape.queryDepth, v = shape.valueDepth();
  const CoreTensors made{
      {at::randn({batch, n, h, k}), at::randn({batch, n, k}).softmax(1), at::randn({batch, n, v})},
      at::randn({batch, n, h, v})};
  return changed(made, [type](const at::Tensor& tensor) { return tensor.to(type); });
}

CoreTensors changed(const CoreTensors& tensors,
                    const std::function<at::Tensor(const at::Tensor&)>& change) {
  const auto leaf = [&](const at::Tensor& tensor) {
    return change(tensor.detach()).requires_grad_(true);
  };
  const LambdaOperands& operands = tensors.operands;
  return {{leaf(operands.queries), leaf(operands.keys), leaf(operands.values)}, change(tensors.dy)};
}

std::vector<at::Tensor> gradientsOf(const CoreForm& form,
                                    const at::Tensor& y,
                                    const CoreTensors& tensors,
                                    const CoreEmbeddings& embeddings) {
  const LambdaOperands& operands = tensors.operands;
  return torch::autograd::grad(
      {y},
      {operands.queries, operands.keys, operands.values, embeddings.*form.weight},
      {tensors.dy});
}

/// LibTorch's convolutions sum a tap's gradient over all images and positions in one float32. At a
/// batch of 128 and 32x32 the rounding of that sum alone exceeds the tolerance of the fused kernel.
constexpr double kRivalSlack = 5;

std::vector<double> checkForms(const std::vector<CoreForm>& forms,
                               const CoreTensors& tensors,
                               const CoreEmbeddings& embeddings,
                               Precision precision) {
  const auto toDouble = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
  const std::vector<at::Tensor> expected =
      outcomesOf(attentionOrder(), changed(tensors, toDouble), inDouble(embeddings));
  std::vector<double> distances;
  for (const CoreForm& form : forms) {
    const PoisonedTensors poisoned;
    distances.push_back(relativeDistance(outcomesOf(form, tensors, embeddings), expected));
    const bool isRival = &form != &forms.front();
    requireExact(form.name, distances.back(), precision, isRival ? kRivalSlack : 1);
  }
  return distances;
}

}  // namespace lambda
