#pragma once

#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"
#include "engine/layers/roled_module.h"

namespace lambda {

struct LambdaLayerOptions {
  LambdaMixer mixer;
  std::int64_t inputDepth = 64;   ///< d, channels of the input.
  std::int64_t outputDepth = 64;  ///< Channels of the output, a multiple of h; v = outputDepth / h.
  int mapHeight = 8;
  int mapWidth = 8;
};

/// A lambda layer: turns the context (keys, values, positions) into linear maps, the lambdas, and
/// applies each to its query. LambdaNetworks (Bello, ICLR 2021, arXiv:2102.08602): equations 1 and
/// 2, multi-query (section 3.2), relative or local positions (3.3, 3.4), intra-depth (appendix
/// B.4), initialisation of appendix E.1. The context is the input itself. Input x [b, d, H, W];
/// output [b, dOut, H, W], a channels-last view. A position is a pixel. Throws c10::Error if the
/// input's depth differs from the options', or its size from that of global or absolute embeddings.
/// Not thread-safe; lives on the training thread.
class LambdaLayerImpl : public RoledModule {
 public:
  /// `shared`: embeddings that another module owns; if null, the layer makes those that its mixer
  /// has. Throws c10::Error if the heads do not divide the output depth, or the mixer has neither a
  /// content nor a position lambda.
  explicit LambdaLayerImpl(const LambdaLayerOptions& options,
                           PositionEmbeddingTable shared = nullptr);

  void reset();

  at::Tensor forward(const at::Tensor& x);

  /// The queries, normalised keys and values of an input x [b, d, H, W], as the core takes them.
  LambdaOperands operands(const at::Tensor& x);

  LambdaLayerOptions options;
  bool fusesCore = true;  ///< False: plain operations compute the core (reference).
  torch::nn::Conv2d queries{nullptr};         ///< d -> h k, 1x1
  torch::nn::Conv2d keys{nullptr};            ///< d -> u k, 1x1; null without content lambda
  torch::nn::Conv2d values{nullptr};          ///< d -> u v, 1x1
  torch::nn::BatchNorm2d queryNorm{nullptr};  ///< null without query normalisation
  torch::nn::BatchNorm2d valueNorm{nullptr};  ///< null without value normalisation
  PositionEmbeddingTable embedding{nullptr};  ///< null without position lambda
};

TORCH_MODULE(LambdaLayer);

}  // namespace lambda
