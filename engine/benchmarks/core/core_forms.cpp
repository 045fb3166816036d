#include "engine/benchmarks/core/core_forms.h"

#include "engine/layers/lambda/fused_core.h"

namespace lambda {

namespace {

at::Tensor leafOf(const at::Tensor& tensor) {
  return tensor.detach().clone().requires_grad_(true);
}

/// Applies lambdas [b, n, k, v] of content and position to the queries.
at::Tensor applyLambdas(const LambdaOperands& operands, const at::Tensor& positionLambdas) {
  const at::Tensor content = at::einsum("bmk,bmv->bkv", {operands.keys, operands.values});
  return at::einsum("bnhk,bnkv->bnhv", {operands.queries, positionLambdas + content.unsqueeze(1)});
}

at::Tensor byEinsum(const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
  return applyLambdas(operands,
                      at::einsum("nmk,bmv->bnkv", {embeddings.expanded, operands.values}));
}

at::Tensor byOneProduct(const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
  const at::Tensor& e = embeddings.expanded;
  const std::int64_t n = e.size(0), m = e.size(1), k = e.size(2);
  const std::int64_t b = operands.values.size(0), v = operands.values.size(2);
  const at::Tensor rows = e.permute({0, 2, 1}).reshape({n * k, m});
  const at::Tensor columns = operands.values.permute({1, 0, 2}).reshape({m, b * v});
  return applyLambdas(operands, at::mm(rows, columns).view({n, k, b, v}).permute({2, 0, 1, 3}));
}

at::Tensor inAttentionOrder(const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
  return applyPositionLambdas(operands, embeddings.expanded) + applyContentLambda(operands);
}

/// The fused core by the kernel for all pairs where a layer takes the kernel for windows, and by
/// that where it does not.
at::Tensor byOtherKernel(const CoreCase& shape,
                         const LambdaOperands& operands,
                         const CoreEmbeddings& embeddings) {
  TableRows rows{embeddings.pairRows};
  if (!embeddings.rows.window) rows = {{}, {}, LocalWindow{shape.side, shape.side, shape.scope}};
  return applyFusedCore(operands, embeddings.table, rows);
}

}  // namespace

CoreEmbeddings makeEmbeddings(const CoreCase& shape,
                              at::ScalarType type,
                              const at::Device& device) {
  PositionEmbeddingOptions options;
  options.queryDepth = shape.queryDepth;
  options.scope = shape.scope;
  options.height = options.width = shape.side;
  PositionEmbeddingTable module(options);  // The constructor draws from N(0, 1).
  const at::NoGradGuard noGradients;
  module->to(device);
  module->table.set_data(module->table.to(type).to(at::kFloat));
  return {leafOf(module->table),
          module->pairRows(shape.side, shape.side),
          leafOf(module->expand(shape.side, shape.side).to(type)),
          module->tableRows(shape.side, shape.side)};
}

CoreEmbeddings inDouble(const CoreEmbeddings& embeddings) {
  return {leafOf(embeddings.table.to(at::kDouble)),
          embeddings.pairRows,
          leafOf(embeddings.expanded.to(at::kDouble))};
}

std::vector<CoreForm> coreForms(const CoreCase& shape, CoreOrder order, const at::Device& device) {
  std::vector<CoreForm> forms{
      {"fused",
       &CoreEmbeddings::table,
       [order](const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
         return applyFusedCore(operands, embeddings.table, embeddings.rows, order);
       }},
      {"einsum", &CoreEmbeddings::expanded, byEinsum},
      {"lambdas by GEMM", &CoreEmbeddings::expanded, byOneProduct},
      attentionOrder(),
  };
  if (shape.scope > 0) {
    forms.push_back(
        {"lambda convolution",
         &CoreEmbeddings::table,
         [side = shape.side](const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
           return applyLambdaConvolution(
                      operands, embeddings.table.to(operands.values.scalar_type()), side, side) +
                  applyContentLambda(operands);
         }});
  }
  if (shape.scope > 0 && device.is_cpu()) {
    forms.push_back({"the other kernel",
                     &CoreEmbeddings::table,
                     [shape](const LambdaOperands& operands, const CoreEmbeddings& embeddings) {
                       return byOtherKernel(shape, operands, embeddings);
                     }});
  }
  return forms;
}

CoreForm attentionOrder() {
  return {"attention order", &CoreEmbeddings::expanded, inAttentionOrder};
}

at::Tensor foldToTable(const at::Tensor& expandedGradient, const CoreEmbeddings& embeddings) {
  const std::int64_t rows = embeddings.table.size(0), k = embeddings.table.size(2);
  // An extra row collects the pairs outside the window and is dropped.
  const at::Tensor pairRows = embeddings.pairRows.to(at::kLong).flatten();
  const at::Tensor folded =
      at::zeros({rows + 1, k}, expandedGradient.options())
          .index_add(
              0, pairRows.masked_fill(pairRows < 0, rows), expandedGradient.reshape({-1, k}));
  return folded.slice(0, 0, rows).unsqueeze(1);
}

}  // namespace lambda
