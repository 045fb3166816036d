#include "engine/benchmarks/core_benchmark.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include "engine/layers/fused_core.h"
#include "engine/layers/position_embedding.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr int kWarmUps = 3;

/// Sets of tensors in turn, so that no form finds its own in the caches.
constexpr std::size_t kSets = 5;

constexpr double kFurthest = 1e-4;

struct Operands {
  LambdaOperands core;
  at::Tensor dy;
};

/// A way to compute the core from operands and the embeddings.
struct Form {
  const char* name;
  std::function<at::Tensor(const LambdaOperands&, PositionEmbeddingTable&, int side)> apply;
};

/// lambda_n [b, n, k, v] of content and position, applied to the queries.
at::Tensor applyLambdas(const LambdaOperands& operands, const at::Tensor& positionLambdas) {
  const at::Tensor content = at::einsum("bmk,bmv->bkv", {operands.keys, operands.values});
  return at::einsum("bnhk,bnkv->bnhv", {operands.queries, positionLambdas + content.unsqueeze(1)});
}

std::vector<Form> forms() {
  return {{"fused",
           [](const LambdaOperands& operands, PositionEmbeddingTable& embedding, int side) {
             return applyFusedCore(operands, embedding->table, embedding->pairRows(side, side));
           }},
          {"einsum",
           [](const LambdaOperands& operands, PositionEmbeddingTable& embedding, int side) {
             return applyLambdas(
                 operands,
                 at::einsum("nmk,bmv->bnkv", {embedding->expand(side, side), operands.values}));
           }},
          {"lambdas by one product",
           [](const LambdaOperands& operands, PositionEmbeddingTable& embedding, int side) {
             const at::Tensor e = embedding->expand(side, side);
             const std::int64_t n = e.size(0), m = e.size(1), k = e.size(2);
             const std::int64_t b = operands.values.size(0), v = operands.values.size(2);
             const at::Tensor rows = e.permute({0, 2, 1}).reshape({n * k, m});
             const at::Tensor columns = operands.values.permute({1, 0, 2}).reshape({m, b * v});
             return applyLambdas(operands,
                                 at::mm(rows, columns).view({n, k, b, v}).permute({2, 0, 1, 3}));
           }},
          {"queries first",
           [](const LambdaOperands& operands, PositionEmbeddingTable& embedding, int side) {
             return applyPositionLambdas(operands, embedding->expand(side, side)) +
                    applyContentLambda(operands);
           }}};
}

Operands makeOperands(const CoreCase& shape, int batch) {
  const std::int64_t n = static_cast<std::int64_t>(shape.side) * shape.side;
  const std::int64_t v = shape.outputDepth / shape.heads;
  const auto leaf = [](at::Tensor tensor) { return tensor.detach().requires_grad_(true); };
  Operands made;
  made.core.queries = leaf(at::randn({batch, n, shape.heads, shape.queryDepth}));
  made.core.keys = leaf(at::randn({batch, n, shape.queryDepth}).softmax(1));
  made.core.values = leaf(at::randn({batch, n, v}));
  made.dy = at::randn({batch, n, shape.heads, v});
  return made;
}

/// Output and gradients of q, kbar, v and the table.
std::vector<at::Tensor> outcomes(const Form& form,
                                 const Operands& operands,
                                 PositionEmbeddingTable& embedding,
                                 int side) {
  const at::Tensor y = form.apply(operands.core, embedding, side);
  std::vector<at::Tensor> all = torch::autograd::grad(
      {y},
      {operands.core.queries, operands.core.keys, operands.core.values, embedding->table},
      {operands.dy});
  all.push_back(y.detach());
  return all;
}

Operands inDouble(const Operands& operands) {
  const auto leaf = [](const at::Tensor& tensor) {
    return tensor.detach().to(at::kDouble).requires_grad_(true);
  };
  return {{leaf(operands.core.queries), leaf(operands.core.keys), leaf(operands.core.values)},
          operands.dy.to(at::kDouble)};
}

double furthest(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double distance = (found[i].to(at::kDouble) - expected[i]).norm().item<double>();
    most = std::max(most, distance / expected[i].norm().item<double>());
  }
  return most;
}

double percentile(std::vector<double> seconds, double share) {
  std::ranges::sort(seconds);
  const auto at = static_cast<std::size_t>(share * static_cast<double>(seconds.size()));
  return seconds[std::min(at, seconds.size() - 1)];
}

}  // namespace

std::vector<CoreCase> standardCoreCases() {
  return {{8, 64}, {8, 128}, {8, 256}, {4, 128}, {4, 256}, {2, 256}, {2, 512}, {1, 512}, {16, 64}};
}

CoreBenchmark runCoreBenchmark(const CoreCase& shape, const CoreBenchmarkOptions& options) {
  at::set_num_threads(options.threads > 0 ? options.threads : availableCores());
  PositionEmbeddingOptions tableOptions;
  tableOptions.queryDepth = shape.queryDepth;
  tableOptions.height = tableOptions.width = shape.side;
  PositionEmbeddingTable embedding(tableOptions);
  PositionEmbeddingTable exact(tableOptions);
  exact->table.set_data(embedding->table.detach().to(at::kDouble));
  std::vector<Operands> sets;
  for (std::size_t i = 0; i < kSets; ++i) sets.push_back(makeOperands(shape, options.batch));

  const std::vector<Form> all = forms();
  CoreBenchmark benchmark{shape, {}};
  const std::vector<at::Tensor> expected =
      outcomes(all.back(), inDouble(sets.front()), exact, shape.side);
  for (const Form& form : all) {
    const double error = furthest(outcomes(form, sets.front(), embedding, shape.side), expected);
    if (!(error < kFurthest)) {
      throw Error(form.name,
                  "is " + std::to_string(error) + " away from float64",
                  "nothing was timed; this is a defect of the program");
    }
    benchmark.timings.push_back({form.name, 0, 0, 0, error});
  }

  std::vector<std::vector<double>> seconds(all.size());
  for (int repetition = -kWarmUps; repetition < options.repetitions; ++repetition) {
    const Operands& operands = sets[static_cast<std::size_t>(repetition + kWarmUps) % kSets];
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      outcomes(all[i], operands, embedding, shape.side);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (repetition >= 0) seconds[i].push_back(took.count());
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    benchmark.timings[i].median = percentile(seconds[i], 0.5);
    benchmark.timings[i].low = percentile(seconds[i], 0.1);
    benchmark.timings[i].high = percentile(seconds[i], 0.9);
  }
  return benchmark;
}

}  // namespace lambda
