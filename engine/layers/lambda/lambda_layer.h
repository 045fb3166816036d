#pragma once

#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"
#include "engine/layers/roled_module.h"

namespace lambda {

struct LambdaLayerOptions {
  LambdaMixer mixer;
  std::int64_t inputDepth = 64;   ///< d of the input.
  std::int64_t outputDepth = 64;  ///< d of the output, divisible by the heads; v = d / h.
  int mapHeight = 8;
  int mapWidth = 8;
};

/// Lambda layer: turns the context (keys, values, positions) into linear maps, the lambdas, and
/// applies each to its query. LambdaNetworks (Bello, ICLR 2021, arXiv:2102.08602): equations 1 and
/// 2, multi-query (section 3.2), relative or local positions (3.3, 3.4), intra-depth (appendix
/// B.4), initialisation of appendix E.1. The context is the input itself. Input x [b, d, H, W];
/// output [b, dOut, H, W], a channels-last view. A position is a pixel. Throws c10::Error if the
/// input's depth differs from the options', or its size where the embeddings are bound to one. Not
/// thread-safe; lives on the training thread.
class LambdaLayerImpl : public RoledModule {
 public:
  /// `shared`: embeddings that another module owns; null = own ones, if the mixer has any.
  explicit LambdaLayerImpl(const LambdaLayerOptions& options,
                           PositionEmbeddingTable shared = nullptr);

  void reset();

  at::Tensor forward(const at::Tensor& x);

  /// Queries, normalised keys and values of an input, as the core sees them.
  LambdaOperands operands(const at::Tensor& x);

  LambdaLayerOptions options;
  bool fusesCore = true;  ///< False: the core by plain operations alone, the reference.
  torch::nn::Conv2d queries{nullptr};         ///< d -> h k, 1x1
  torch::nn::Conv2d keys{nullptr};            ///< d -> u k, 1x1; null without content lambda
  torch::nn::Conv2d values{nullptr};          ///< d -> u v, 1x1
  torch::nn::BatchNorm2d queryNorm{nullptr};  ///< null without query normalisation
  torch::nn::BatchNorm2d valueNorm{nullptr};  ///< null without value normalisation
  PositionEmbeddingTable embedding{nullptr};  ///< null without position lambda
};

TORCH_MODULE(LambdaLayer);

}  // namespace lambda
