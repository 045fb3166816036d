#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/layers/blocks/squeeze_excitation.h"
#include "engine/layers/convolution/convolution_unit.h"
#include "engine/layers/convolution/patch_whitening.h"
#include "engine/layers/forward_trace.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/mixers/mixer_unit.h"
#include "engine/layers/sequences/recurrent_layer.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

/// A lambda layer of a network, with its name in the cost table.
struct NamedLambda {
  std::string name;  ///< "stage3.block2.mixer"
  MixerUnit unit;
  LambdaLayer layer;  ///< The layer of that unit.
};

/// What the layers of a network keep of sequences, by their names in the cost table.
using SequenceState = std::map<std::string, LayerState>;

/// The network that an Architecture describes: its graph, with a module for each layer.
/// Input x [b, channels, height, width] float, normalised, and output logits [b, classes]. Where it
/// takes tokens: x [b, 1, 1, n] int64; where its task is tokens: output logits [b, n, tokens].
/// Throws c10::Error if the input's shape differs from the architecture's. The architecture must
/// have passed validate(). Not thread-safe; lives on the training thread.
class NetworkImpl : public RoledModule {
 public:
  explicit NetworkImpl(const Architecture& architecture);

  at::Tensor forward(const at::Tensor& x, ForwardTrace* trace = nullptr);

  /// The logits [b, m, tokens] of the next m >= 1 tokens x [b, 1, 1, m] of sequences. `state` is
  /// that of their layers before them, and becomes that after them. Without gradients. Throws
  /// c10::Error if the network does not take tokens, or has a mixer that is not causal.
  at::Tensor step(const at::Tensor& x, SequenceState& state);

  /// Makes dropout and stochastic depth draw from `generator`, which must be of the network's
  /// device, instead of from LibTorch's default generator, which all threads share.
  void drawFrom(const at::Generator& generator) { random_ = generator; }

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
  const std::vector<std::pair<std::string, MixerUnit>>& mixers() const { return mixers_; }

  /// The lambda layers in network order.
  std::vector<NamedLambda> lambdaLayers() const;

  Architecture architecture;
  NetworkGraph graph;

 private:
  /// Nodes that run together: a convolution or a mixer with its norm and activation, a sum with its
  /// activation, or one node.
  struct Step {
    std::string layer = {};
    std::vector<int> inputs = {};    ///< Nodes whose results it takes, or kImageInput.
    int node = 0;                    ///< The last of its nodes, whose result it gives.
    int layerInput = 0;              ///< What the first step of its layer takes.
    bool endsLayer = false;          ///< Its layer is visited after it.
    std::vector<int> released = {};  ///< Nodes whose results no later step takes.
    std::function<at::Tensor(const at::Tensor&)> run = {};  ///< Empty in a sum.
    /// A unit without activation, with what follows it.
    std::function<at::Tensor(const at::Tensor&, const AfterNorm&)> runThen = {};
    /// The recurrent form of a layer that sees more than one position.
    std::function<at::Tensor(const at::Tensor&, LayerState&)> runNext = {};
    std::size_t sum = 0;  ///< The step of the sum that its norm can add; 0 = none.
    // These four are those of a sum.
    double stochasticDepth = 0;
    std::optional<Activation> activation = std::nullopt;
    std::shared_ptr<torch::nn::Module> block = nullptr;
  };

  /// The step that begins with node `next`, which it passes with all its nodes.
  Step stepAt(std::size_t& next);
  Step stepOf(const ConvolutionNode& node, std::size_t& next);
  Step stepOf(const PlacedMixer& node, std::size_t& next);
  Step stepOf(const PoolNode& node, std::size_t& next);
  Step stepOf(const SqueezeNode& node, std::size_t& next);
  Step stepOf(const SumNode& node, std::size_t& next);
  Step stepOf(const FeaturesNode& node, std::size_t& next);
  Step stepOf(const LinearNode& node, std::size_t& next);
  Step stepOf(const EmbeddingNode& node, std::size_t& next);
  Step stepOf(const LayerNormNode& node, std::size_t& next);
  Step stepOf(const ChannelMixingNode& node, std::size_t& next);
  Step stepOf(const ActivationNode& node, std::size_t& next);
  Step stepOf(const NormNode& node, std::size_t& next);
  template <class Layer>
  static Step stepOfModule(const Layer& layer);
  template <class Unit>
  static Step stepOfUnit(const Unit& unit, bool endsWithNorm);
  void planSteps();

  /// Registers a module under a dotted name, in a group for each part of the name before the last.
  template <class Layer>
  Layer registerLayer(const std::string& name, Layer layer);
  std::shared_ptr<torch::nn::Module> groupOf(const std::string& path);
  /// The embeddings that a mixer shares with others under a name; null if it shares none.
  PositionEmbeddingTable sharedEmbeddings(const PlacedMixer& place);

  /// The result of the last step. `runOf` gives that of a step for its input, unless it is a sum.
  template <class Run>
  at::Tensor walk(const at::Tensor& x, ForwardTrace* trace, const Run& runOf);

  /// Whether the sum skips its branch for some images.
  static bool dropsBranch(const Step& sum);
  static bool addsInNorm(const Step& sum, const ForwardTrace* trace);
  at::Tensor sumOf(const Step& sum, const at::Tensor& shortcut, const at::Tensor& branch) const;

  std::vector<Step> steps_;
  std::map<std::string, std::shared_ptr<torch::nn::Module>> groups_;
  std::map<std::string, PositionEmbeddingTable> shared_;
  std::vector<std::pair<std::string, MixerUnit>> mixers_;
  std::vector<std::shared_ptr<torch::nn::Module>> frozen_;
  ConvolutionUnit first_{nullptr};  // Whose input is the image.
  std::optional<at::Generator> random_;
};

TORCH_MODULE(Network);

}  // namespace lambda
