#include "engine/layers/lambda/lambda_unit.h"

#include <torch/nn/init.h>

namespace lambda {

LambdaUnitImpl::LambdaUnitImpl(const LambdaUnitOptions& options_, PositionEmbeddingTable shared)
    : options(options_),
      layer(register_module("layer", LambdaLayer(options_.layer, std::move(shared)))),
      norm(registerNorm("norm", options_.layer.outputDepth)) {
  if (options.zeroInit) torch::nn::init::zeros_(norm->weight);
}

at::Tensor LambdaUnitImpl::forward(const at::Tensor& x) {
  return forwardThen(x, {at::Tensor(), options.activation});
}

at::Tensor LambdaUnitImpl::forwardThen(const at::Tensor& x, const AfterNorm& after) {
  at::Tensor y = layer(x);
  if (options.downsample) y = at::avg_pool2d(y, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  return applyNorm(norm, y, after);
}

}  // namespace lambda
