// Attention that scales channels or positions, as lambdas.

#include "engine/layers/attention/gated_attention.h"
#include "engine/verification/statements.h"

namespace lambda {

namespace {

/// y_n = lambda_n^T x_n for lambdas [b, n, d, d], which broadcast, and a map x [b, d, H, W].
at::Tensor applyLambdas(const at::Tensor& lambdas, const at::Tensor& x) {
  const at::Tensor positions = x.flatten(2).transpose(1, 2).unsqueeze(3);
  return at::matmul(lambdas.transpose(2, 3), positions).squeeze(3).transpose(1, 2).view_as(x);
}

struct GateCase {
  std::int64_t depth;
  std::int64_t height;
  std::int64_t width;
  int option;  ///< The ratio, or the side of the filter.
};

}  // namespace

void compareChannelAttention(Trial& trial) {
  for (const GateCase& shape :
       {GateCase{8, 5, 5, 4}, GateCase{6, 3, 7, 2}, GateCase{3, 1, 4, 16}}) {
    ChannelAttention layer(shape.depth, shape.depth, shape.option);
    trial.prepare(*layer);
    const at::Tensor x = trial.normal({3, shape.depth, shape.height, shape.width});
    const at::Tensor means = x.mean({2, 3});
    const auto linear = [](const torch::nn::Conv2d& filters, const at::Tensor& inputs) {
      return at::linear(inputs, filters->weight.flatten(1), filters->bias);
    };
    const at::Tensor weights =
        linear(layer->gate->excite, at::relu(linear(layer->gate->squeeze, means))).sigmoid();
    const at::Tensor expected = applyLambdas(at::diag_embed(weights).unsqueeze(1), x);
    trial.disturb(*layer);
    trial.compare(layer(x), expected);
  }
}

void compareSpatialAttention(Trial& trial) {
  for (const GateCase& shape : {GateCase{8, 6, 6, 7}, GateCase{5, 3, 8, 3}, GateCase{4, 2, 2, 1}}) {
    SpatialAttention layer(shape.depth, shape.depth, shape.option);
    trial.prepare(*layer);
    const at::Tensor x = trial.normal({2, shape.depth, shape.height, shape.width});
    const at::Tensor scalars = layer->gates(x).flatten(1);
    const at::Tensor identity = at::eye(shape.depth, x.options());
    const at::Tensor expected = applyLambdas(scalars.unsqueeze(2).unsqueeze(3) * identity, x);
    trial.disturb(*layer);
    trial.compare(layer(x), expected);
  }
}

}  // namespace lambda
