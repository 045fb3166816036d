#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/layers/blocks/residual_block.h"
#include "engine/layers/convolution/patch_whitening.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/values/architecture/plan.h"

namespace lambda {

/// A lambda layer of a network, with its name in the cost table.
struct NamedLambda {
  std::string name;  ///< "stage3.block2.mixer"
  MixerUnit unit;
  LambdaLayer layer;  ///< The layer of that unit.
};

/// The network that an Architecture describes.
/// Input x [b, channels, height, width] float, normalised; output logits [b, classes].
/// Throws c10::Error if the input's shape differs from the architecture's. The architecture must
/// have passed validate(). Not thread-safe; lives on the training thread.
class NetworkImpl : public RoledModule {
 public:
  explicit NetworkImpl(const Architecture& architecture);

  at::Tensor forward(const at::Tensor& x, ForwardTrace* trace = nullptr);

  /// Makes dropout and stochastic depth draw from `generator`, which must be of the network's
  /// device, instead of from LibTorch's default generator, which all threads share.
  void drawFrom(const at::Generator& generator);

  /// The generator that was passed to drawFrom(), if any.
  const std::optional<at::Generator>& random() const { return random_; }

  /// Excludes stages at the start of the network from training: their parameters get no gradients,
  /// and they stay in evaluation mode, so that their norms keep the running statistics. The stem is
  /// the first stage. Embeddings that a frozen layer shares with others are frozen too. To be
  /// called once.
  void freezeStages(int count);

  /// Changes the mode of all parts that are not frozen.
  void train(bool on = true) override;

  /// Sets the filters of a whitened stem, from patches with the size and channels of its first
  /// convolution. Throws c10::Error if the stem is not whitened.
  void whitenStem(const PatchWhitening& patches);

  /// The mixers of all blocks, in network order, by their names in the cost table:
  /// "stage3.block2.mixer".
  std::vector<std::pair<std::string, MixerUnit>> mixers() const;

  /// The lambda layers in network order.
  std::vector<NamedLambda> lambdaLayers() const;

  Architecture architecture;
  NetworkPlan plan;

 private:
  void buildStem();
  void buildBlocks();
  /// The embeddings that a block's mixer shares with others under a name; null if it shares none.
  PositionEmbeddingTable sharedEmbeddings(const BlockPlan& block);
  PositionEmbeddingTable sharedEmbeddings(const LambdaMixer& mixer, const MapShape& map);
  at::Tensor dropFeatures(const at::Tensor& features) const;
  at::Tensor runStem(const at::Tensor& x, ForwardTrace* trace);

  std::vector<std::pair<std::string, ConvolutionUnit>> stem_;
  std::vector<ResidualBlock> blocks_;
  std::map<std::string, PositionEmbeddingTable> shared_;
  std::vector<std::shared_ptr<torch::nn::Module>> frozen_;
  ConvolutionUnit headConv_{nullptr};
  torch::nn::Linear head_{nullptr};
  std::optional<at::Generator> random_;
};

TORCH_MODULE(Network);

}  // namespace lambda
