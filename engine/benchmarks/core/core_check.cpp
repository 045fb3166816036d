#include "engine/benchmarks/core/core_check.h"

#include <algorithm>
#include <string>

#include <torch/autograd.h>

#include "engine/benchmarks/device/without_tf32.h"
#include "engine/benchmarks/exactness.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Place of the table's gradient among the outcomes of a form: after queries, keys and values.
constexpr std::size_t kTableGradient = 3;

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

CoreTensors makeCoreTensors(const CoreCase& shape,
                            int batch,
                            at::ScalarType type,
                            const at::Device& device) {
  const std::int64_t n = shape.positions(), h = shape.heads;
  const std::int64_t k = shape.queryDepth, v = shape.valueDepth();
  const CoreTensors made{
      {at::randn({batch, n, h, k}), at::randn({batch, n, k}).softmax(1), at::randn({batch, n, v})},
      at::randn({batch, n, h, v})};
  return changed(made, [&](const at::Tensor& tensor) { return tensor.to(device, type); });
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

std::vector<at::Tensor> exactOutcomes(const CoreTensors& tensors,
                                      const CoreEmbeddings& embeddings,
                                      std::int64_t mostScores) {
  const at::Tensor& queries = tensors.operands.queries;
  const std::int64_t images = queries.size(0);
  const std::int64_t scores = queries.size(1) * queries.size(2) * tensors.operands.keys.size(1);
  const std::int64_t atATime = std::max<std::int64_t>(1, mostScores / scores);
  const CoreEmbeddings exact = inDouble(embeddings);
  std::vector<std::vector<at::Tensor>> parts(kTableGradient + 2);
  for (std::int64_t first = 0; first < images; first += atATime) {
    const std::int64_t count = std::min(atATime, images - first);
    const CoreTensors some = changed(tensors, [&](const at::Tensor& tensor) {
      return tensor.narrow(0, first, count).to(at::kDouble);
    });
    const std::vector<at::Tensor> outcomes = outcomesOf(attentionOrder(), some, exact);
    for (std::size_t i = 0; i < outcomes.size(); ++i) parts[i].push_back(outcomes[i]);
  }
  std::vector<at::Tensor> all;
  for (std::size_t i = 0; i < parts.size(); ++i)
    all.push_back(i == kTableGradient ? at::stack(parts[i]).sum(0) : at::cat(parts[i]));
  return all;
}

void requireKernels(const at::Device& device) {
  const std::string obstacle = cudaKernelsObstacle(device);
  if (obstacle.empty()) return;
  throw Error("CUDA kernels", "can't be used, so nothing was timed: " + obstacle);
}

/// LibTorch's convolutions sum a tap's gradient over all images and positions in one float32. At a
/// batch of 128 and 32x32 the rounding of that sum alone exceeds the tolerance of the fused kernel.
constexpr double kRivalSlack = 5;

std::vector<double> checkForms(const std::vector<CoreForm>& forms,
                               const CoreTensors& tensors,
                               const CoreEmbeddings& embeddings,
                               Precision precision) {
  const WithoutTf32 withoutTf32;
  const std::vector<at::Tensor> expected = exactOutcomes(tensors, embeddings);
  std::vector<double> distances;
  for (const CoreForm& form : forms) {
    const PoisonedTensors poisoned(tensors.dy.device());
    distances.push_back(relativeDistance(outcomesOf(form, tensors, embeddings), expected));
    const bool isRival = &form != &forms.front();
    requireExact(form.name, distances.back(), precision, isRival ? kRivalSlack : 1);
  }
  return distances;
}

}  // namespace lambda
