#pragma once

#include "engine/layers/attention/attention_terms.h"
#include "engine/layers/roled_module.h"

namespace lambda {

struct AttentionOptions {
  std::int64_t inputDepth = 64;   ///< Channels of the input.
  std::int64_t outputDepth = 64;  ///< d: channels of queries, keys, values and output.
  int heads = 8;                  ///< h; divides d.
  int mapHeight = 8;
  int mapWidth = 8;
};

/// Queries, keys and values by head: [b, h, n, d / h] with n = H W positions, row by row.
struct HeadedInputs {
  at::Tensor queries;
  at::Tensor keys;
  at::Tensor values;
};

/// Base of the attention layers. It has the projections of queries, keys and values: 1x1
/// convolutions without bias that are drawn from N(0, 1 / input depth).
class AttentionModule : public RoledModule {
 public:
  /// `layer`: its name in errors. Throws c10::Error if the heads do not divide the depth.
  AttentionModule(std::string layer, const AttentionOptions& options);

  AttentionOptions options;
  torch::nn::Conv2d queries{nullptr};  ///< inputDepth -> d, 1x1
  torch::nn::Conv2d keys{nullptr};     ///< inputDepth -> d, 1x1
  torch::nn::Conv2d values{nullptr};   ///< inputDepth -> d, 1x1

 protected:
  std::int64_t headDepth() const { return options.outputDepth / options.heads; }

  /// Throws c10::Error if x [b, inputDepth, H, W] has another depth or size.
  HeadedInputs project(const at::Tensor& x);

  /// The same for any number of positions in a row.
  HeadedInputs projectPiece(const at::Tensor& x);

 private:
  std::string layer_;
};

/// Throws c10::Error unless x is a map [b, depth, H, W]; `layer`: the layer's name in the message.
void requireDepth(const std::string& layer, const at::Tensor& x, std::int64_t depth);

/// A map [b, d, H, W] as [b, h, n, d / h].
at::Tensor toHeads(const at::Tensor& map, std::int64_t heads);

/// [b, h, n, d / h] as a map [b, d, height, width], a channels-last view.
at::Tensor fromHeads(const at::Tensor& headed, std::int64_t height, std::int64_t width);

/// The pairs of positions [n, m] of which m is after n, bool: what a causal mask hides.
at::Tensor laterPositions(std::int64_t positions, const at::Device& device);

/// Embeddings of the offsets between places on a line, table [2 size - 1, ..] as [size, size, ..]:
/// the first index is the query's place, the second that of the context.
at::Tensor offsetEmbeddings(const at::Tensor& table, std::int64_t size);

}  // namespace lambda
