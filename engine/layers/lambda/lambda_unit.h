#pragma once

#include <optional>

#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/norm_and_pool/fused_norm.h"

namespace lambda {

struct LambdaUnitOptions {
  LambdaLayerOptions layer;
  bool downsample = false;  ///< 3x3 average pooling with stride 2 after the layer.
  std::optional<Activation> activation = std::nullopt;  ///< None: the unit ends with its norm.
  bool zeroInit = false;                                ///< The norm's scale starts at 0.
};

/// A lambda layer in the place of a convolution: the layer, average pooling where the convolution
/// had a stride (paper, appendix E.1), batch norm, activation.
class LambdaUnitImpl : public RoledModule {
 public:
  explicit LambdaUnitImpl(const LambdaUnitOptions& options,
                          PositionEmbeddingTable shared = nullptr);

  at::Tensor forward(const at::Tensor& x);

  /// The unit as the end of a residual branch: what `after` says in the place of its activation.
  at::Tensor forwardThen(const at::Tensor& x, const AfterNorm& after);

  LambdaUnitOptions options;
  LambdaLayer layer;
  torch::nn::BatchNorm2d norm;
};

TORCH_MODULE(LambdaUnit);

}  // namespace lambda
