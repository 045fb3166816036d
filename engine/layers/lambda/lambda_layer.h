#pragma once

#include <vector>

#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"
#include "engine/layers/lambda/seen_context.h"
#include "engine/layers/roled_module.h"
#include "engine/layers/sequences/recurrent_layer.h"

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
/// 2, multi-query (section 3.2), relative or local positions (3.3, 3.4), masked contexts (appendix
/// B.2), multi-head (B.3), intra-depth (B.4), normalisations of table 12, initialisation of
/// appendix E.1. The context is the input itself. Input x [b, d, H, W]; output [b, dOut, H, W], a
/// channels-last view. A position is a pixel, unless the mixer's token order says otherwise. Throws
/// c10::Error if the input's depth differs from the options', or its size from that of global or
/// absolute embeddings, of norms per position or of a custom mask. Not thread-safe; lives on the
/// training thread.
///
/// With TokenOrder::channelRuns, NormAxes::positions, absolute embeddings and u = 1 it is the layer
/// that the TU Delft reproduction published (section 9.1 of its report), except for the order of
/// the query channels: theirs is (k, h), here it is (h, k). Row i h + j of their query weight, for
/// depth i and head j, is row j k + i here; all else is in the same order.
class LambdaLayerImpl : public RoledModule, public RecurrentLayer {
 public:
  /// `shared`: embeddings that another module owns; if null, the layer makes those that its mixer
  /// has. Throws c10::Error if the heads do not divide the output depth, or the mixer has neither a
  /// content nor a position lambda.
  explicit LambdaLayerImpl(const LambdaLayerOptions& options,
                           PositionEmbeddingTable shared = nullptr);

  void reset();

  at::Tensor forward(const at::Tensor& x);

  /// poolAverage() of forward(x), the output for a stride of 2. In float32 on the CPU, it takes
  /// less work than the two on small maps, see engine/kernels/lambda_core/core_pooled_scores-inl.h.
  at::Tensor forwardPooled(const at::Tensor& x);

  /// Only with a causal mask, for maps of one row. Content lambdas are of all positions so far,
  /// position lambdas of those that PositionEmbeddingTable::reachBack() counts. The state has three
  /// tensors for each head with lambdas of its own: those of SeenLambdas, and the values [b, m u,
  /// v] of those positions. They are undefined without content or positions.
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  /// The queries, normalised keys and values of an input x [b, d, H, W], as the core takes them:
  /// once for all heads, or in a multi-head layer for each head. Keys that are not normalised are
  /// [b, m u, k], also with a mask.
  std::vector<LambdaOperands> operands(const at::Tensor& x, bool normalizesKeys = true);

  LambdaLayerOptions options;
  bool fusesCore = true;               ///< False: plain operations compute the layer (reference).
  torch::nn::Conv2d queries{nullptr};  ///< d -> h k, 1x1
  torch::nn::Conv2d keys{
      nullptr};  ///< d -> u k, multi-head h u k, 1x1; null without content lambda
  torch::nn::Conv2d values{nullptr};          ///< d -> u v, multi-head h u v, 1x1
  torch::nn::BatchNorm2d queryNorm{nullptr};  ///< null without query normalisation
  torch::nn::BatchNorm2d valueNorm{nullptr};  ///< null without value normalisation
  PositionEmbeddingTable embedding{nullptr};  ///< null without position lambda
  SeenContext context;
  /// Where it is true [h, k], the queries are 0 whatever the input, for the lesions of inspections.
  /// Undefined: nowhere.
  at::Tensor cutQueries;

 private:
  void requireDepth(const at::Tensor& x) const;
  bool sumsCausally(const at::Tensor& x) const;
  at::Tensor plainForward(const at::Tensor& x);
  at::Tensor fusedForward(const at::Tensor& x, bool isPooled);
  at::Tensor outputOf(const std::vector<at::Tensor>& heads,
                      std::int64_t height,
                      std::int64_t width) const;
  at::Tensor normalizedQueries(const at::Tensor& map);
  at::Tensor normalizedValues(const at::Tensor& map);
  at::Tensor applyCore(const LambdaOperands& parts,
                       std::int64_t head,
                       std::int64_t height,
                       std::int64_t width);
  at::Tensor applyUnmaskedCore(const LambdaOperands& parts,
                               std::int64_t head,
                               std::int64_t height,
                               std::int64_t width);
  at::Tensor nextOfPositions(const LambdaOperands& parts, std::int64_t head, at::Tensor& window);
};

TORCH_MODULE(LambdaLayer);

}  // namespace lambda
