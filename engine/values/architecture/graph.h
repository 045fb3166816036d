#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/architecture/parameter_role.h"

namespace lambda {

/// Stands for the image, or the tokens, among the inputs of a node.
inline constexpr int kImageInput = -1;

/// A convolution without bias.
struct ConvolutionNode {
  int kernel = 1;  ///< Side of its windows.
  int stride = 1;
  int padding = 0;  ///< Rows and columns of zeros around the map.
  ParameterRole role = ParameterRole::filter;
  bool fixedFilters = false;  ///< Its filters are set from outside and not trained.
};

/// A batch norm.
struct NormNode {
  bool startsAtZero = false;  ///< Its scale is 0 at the start.
};

/// A learnt vector for each of `vocabulary` tokens. Its input is [1, 1, n] of whole numbers.
struct EmbeddingNode {
  int vocabulary = 256;
};

/// A norm over the channels of each position (Ba et al., 2016, arXiv:1607.06450).
struct LayerNormNode {};

/// The channel mixing of a block.
struct ChannelMixingNode {
  ChannelMixing kind = ChannelMixing::mlp;
  int hidden = 256;                          ///< Channels of its hidden layer.
  Activation activation = Activation::gelu;  ///< Of the MLP.
};

struct ActivationNode {
  Activation activation = Activation::relu;
};

/// The mixer of a block at its place in the network.
struct PlacedMixer {
  std::string name;  ///< "stage2.block1.mixer", also the prefix of its parameters' names.
  int stage = 0;     ///< Index from 0.
  int block = 0;     ///< Index from 0 within the stage.
  Mixer mixer;
  MapShape input;
  MapShape output;
  int stride = 1;  ///< The stride that the mixer itself applies.
};

/// Pooling with stride 2. Windows of three positions have a border of zeros, which a mean counts
/// and a maximum does not. Windows of two positions are cut off at an odd border.
struct PoolNode {
  Pooling pooling = Pooling::max;
  int window = 3;
};

/// Squeeze-and-excitation (Hu et al., 2018), which squeezes to 1 / ratio of the channels.
struct SqueezeNode {
  int ratio = 4;
};

/// The sum of a shortcut and of the residual branch: the inputs of the node in this order.
struct SumNode {
  double stochasticDepth = 0;  ///< Probability of skipping the branch in training.
};

/// One number for each channel: the mean or the maximum over all positions.
struct FeaturesNode {
  Pooling pooling = Pooling::average;
  double dropout = 0;  ///< Probability of zeroing a number in training.
};

/// The linear map from features to logits.
struct LinearNode {
  bool bias = true;
  double scale = 1;          ///< The logits are multiplied by this.
  bool atPositions = false;  ///< Of each position of a map.
};

/// The squeezed channels of squeeze-and-excitation over `channels`.
int squeezedChannels(int channels, int ratio);

using NodeKind = std::variant<ConvolutionNode,
                              NormNode,
                              ActivationNode,
                              PlacedMixer,
                              PoolNode,
                              SqueezeNode,
                              SumNode,
                              FeaturesNode,
                              LinearNode,
                              EmbeddingNode,
                              LayerNormNode,
                              ChannelMixingNode>;

/// One step of the computation.
struct Node {
  /// "stage2.block1.reduce": the nodes of a layer follow each other and have the same name, which
  /// begins the names of their parameters. A sum has the name of its block.
  std::string layer;
  NodeKind kind;
  std::vector<int> inputs;  ///< Indices of earlier nodes, or kImageInput.
  MapShape output;
  int stage = -1;  ///< Index from 0; -1 for the stem and the head.
  int block = -1;  ///< Index from 0 within the stage.
};

/// The computation of a network with all shapes and names: what the cost model counts, the network
/// module runs and the exports write. Only the function that makes it knows families and stems.
struct NetworkGraph {
  MapShape image;
  MapShape stemOutput;
  std::vector<MapShape> stageOutputs;
  std::vector<Node> nodes;  ///< In an order of computation. The last one gives the logits.

  /// Whether its input is a sequence of tokens, [1, 1, n].
  bool takesTokens() const { return std::holds_alternative<EmbeddingNode>(nodes.front().kind); }

  /// The output of a node, or the image.
  const MapShape& mapAt(int node) const;

  /// What the first input of a node is.
  const MapShape& inputOf(const Node& node) const { return mapAt(node.inputs.front()); }

  /// The mixers of all blocks in network order.
  std::vector<PlacedMixer> mixers() const;

  /// The mixer of one block; null if there is no such block.
  const PlacedMixer* mixerAt(int stage, int block) const;
};

/// Shapes of an impossible network (maps of size 0) are returned as computed; validate() reports
/// them.
NetworkGraph graphOf(const Architecture& architecture);

/// The first convolution of a network.
struct FirstConvolution {
  int side = 3;    ///< Of its square filters.
  int depth = 64;  ///< Channels of its output.
};

FirstConvolution firstConvolutionOf(const NetworkGraph& graph);

/// Whether the family's blocks have this option of `Block`, by its name in JSON.
bool hasOption(Family family, std::string_view option);

/// Whether the family's blocks norm each position alone and keep all of them, as sequences need.
bool isOfSequences(Family family);

}  // namespace lambda
