#include "engine/values/architecture/operations.h"

#include <algorithm>
#include <utility>

#include "engine/values/architecture/graph.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

namespace {

long long bytesOf(const MapShape& map) {
  return countOf(kFloatBytes * static_cast<double>(map.elements()));
}

/// Adds the operations of each node of a graph.
class GraphOperations {
 public:
  explicit GraphOperations(const NetworkGraph& graph) : graph_(graph) {}

  NetworkOperations run() {
    for (node_ = graph_.nodes.begin(); node_ != graph_.nodes.end(); ++node_) {
      const bool isSum = std::holds_alternative<SumNode>(node_->kind);
      if (!isSum && (node_ == graph_.nodes.begin() || node_->layer != (node_ - 1)->layer)) {
        beginLayer();
      }
      inputs_.clear();
      for (const int input : node_->inputs) inputs_.push_back(operationAt(input));
      last_.push_back(std::visit([&](const auto& kind) { return add(kind); }, node_->kind));
      layers_.push_back(list_.currentLayer());
      mixers_.push_back(mixer_);
    }
    return list_.take();
  }

 private:
  int operationAt(int node) const {
    return node == kImageInput ? kImageInput : last_[static_cast<std::size_t>(node)];
  }

  /// The layer ends with the last of the nodes of its name.
  void beginLayer() {
    const auto end = std::find_if(
        node_, graph_.nodes.end(), [&](const Node& node) { return node.layer != node_->layer; });
    std::string kind = "convolution";
    mixer_ = std::get_if<PlacedMixer>(&node_->kind);
    if (mixer_ != nullptr) kind = traitsOf(mixer_->mixer).kind;
    if (std::holds_alternative<SqueezeNode>(node_->kind)) kind = "squeeze-excitation";
    if (std::holds_alternative<FeaturesNode>(node_->kind)) kind = "linear";
    if (std::holds_alternative<LinearNode>(node_->kind)) kind = "linear";
    if (std::holds_alternative<EmbeddingNode>(node_->kind)) kind = "embedding";
    if (std::holds_alternative<LayerNormNode>(node_->kind)) kind = "layer norm";
    if (std::holds_alternative<ChannelMixingNode>(node_->kind)) kind = "channel mixing";
    list_.beginLayer({node_->layer, kind, (end - 1)->output, node_->stage, node_->block});
  }

  /// The map that a norm or an activation keeps for the backward pass: after a mixer its output
  /// before any pooling.
  const MapShape& keptMap() const { return mixer_ != nullptr ? mixer_->output : node_->output; }

  int add(const ConvolutionNode& node) {
    const int channels = graph_.inputOf(*node_).channels;
    return list_.addConvolution(inputs_[0], channels, node.kernel, node_->output);
  }

  int add(const NormNode& /*node*/) { return list_.addNorm(inputs_[0], node_->output, keptMap()); }

  int add(const ActivationNode& /*node*/) {
    const bool followsSum = std::holds_alternative<SumNode>((node_ - 1)->kind);
    // A norm that ends a residual branch adds the shortcut itself, so that nothing else is kept.
    const MapShape kept = followsSum && mixer_ != nullptr ? MapShape{0, 0, 0} : keptMap();
    return list_.addActivation(inputs_[0], node_->output, kept);
  }

  int add(const PlacedMixer& place) {
    const auto add = [&](const auto& mixer) {
      return addOperations(list_, mixer, place, inputs_[0]);
    };
    return std::visit(add, place.mixer);
  }

  int add(const PoolNode& node) {
    const bool isMaximum = node.pooling == Pooling::max;
    const std::string side = std::to_string(node.window);
    return list_.add({.name = side + "×" + side + (isMaximum ? " max pooling" : " average pooling"),
                      .equation = isMaximum ? "y_n = max_δ x_{2n+δ}" : "y_n = mean_δ x_{2n+δ}",
                      .meaning = "Keeps every second position, so that later layers work on a "
                                 "quarter of the map.",
                      .axes = "H×W×C",
                      .output = sizesOf(node_->output),
                      .inputs = {inputs_[0]},
                      .activationBytes = mixer_ != nullptr ? 0 : bytesOf(node_->output)});
  }

  int add(const SqueezeNode& node) {
    return list_.addSqueezeExcitation(inputs_[0], node_->output, node.ratio);
  }

  /// Addition and activation cost as parts of the layer that ends the branch.
  int add(const SumNode& /*node*/) {
    const auto branch = static_cast<std::size_t>(node_->inputs[1]);
    list_.resumeLayer(layers_[branch]);
    mixer_ = mixers_[branch];
    return list_.add({.name = "shortcut",
                      .equation = "y = x + F(x)",
                      .meaning = "Adds the block's input to the result of its branch, so "
                                 "that gradients reach early layers unchanged.",
                      .axes = "H×W×C",
                      .output = sizesOf(node_->output),
                      .inputs = inputs_});
  }

  int add(const FeaturesNode& node) {
    const bool isMaximum = node.pooling == Pooling::max;
    return list_.add({.name = isMaximum ? "maximum over positions" : "mean over positions",
                      .equation = isMaximum ? "z_c = max_n x_{nc}" : "z_c = mean_n x_{nc}",
                      .meaning = "One number for each channel, wherever on the map it comes from.",
                      .axes = "C",
                      .output = {node_->output.channels},
                      .inputs = inputs_,
                      .activationBytes = bytesOf(node_->output)});
  }

  int add(const LinearNode& node) {
    const long long outputs = node_->output.channels;
    const long long weights = graph_.inputOf(*node_).channels * outputs;
    Operation linear{.name = "linear",
                     .equation = "logits = W z + b",
                     .meaning = "A score for every class.",
                     .axes = "classes",
                     .output = {outputs},
                     .inputs = inputs_,
                     .parameters = weights + (node.bias ? outputs : 0),
                     .flops = 2 * weights * node_->output.positions(),
                     .activationBytes = bytesOf(node_->output)};
    if (node.atPositions) {
      linear.equation = "logits_n = W z_n + b";
      linear.meaning = "A score for every token, at each position.";
      linear.axes = "H×W×tokens";
      linear.output = sizesOf(node_->output);
    }
    return list_.add(std::move(linear));
  }

  int add(const EmbeddingNode& node) {
    return list_.add(
        {.name = "embedding",
         .equation = "x_n = E_{token n}",
         .meaning = "Looks up the learnt vector of each token.",
         .axes = "H×W×C",
         .output = sizesOf(node_->output),
         .inputs = inputs_,
         .parameters = static_cast<long long>(node.vocabulary) * node_->output.channels,
         .activationBytes = bytesOf(node_->output)});
  }

  int add(const LayerNormNode& /*node*/) {
    return list_.add({.name = "layer norm",
                      .equation = "y_n = γ (x_n − mean_c x_nc) / deviation_c x_nc + β",
                      .meaning = "Gives the channels of every position a common scale, which keeps "
                                 "the training of deep networks stable.",
                      .axes = "H×W×C",
                      .output = sizesOf(node_->output),
                      .inputs = inputs_,
                      .parameters = 2LL * node_->output.channels,
                      .activationBytes = bytesOf(node_->output)});
  }

  int add(const ChannelMixingNode& node) {
    const long long channels = node_->output.channels, hidden = node.hidden;
    const long long positions = node_->output.positions();
    const long long kept = positions * (2 * hidden + channels);
    switch (node.kind) {
      case ChannelMixing::mlp:
        return list_.add({.name = "multilayer perceptron",
                          .equation = "y_n = W_2 φ(W_1 x_n + b_1) + b_2",
                          .meaning = "Mixes the channels of each position; positions stay apart.",
                          .axes = "H×W×C",
                          .output = sizesOf(node_->output),
                          .inputs = inputs_,
                          .parameters = 2 * channels * hidden + hidden + channels,
                          .flops = 4 * channels * hidden * positions,
                          .activationBytes = countOf(kFloatBytes * static_cast<double>(kept))});
      case ChannelMixing::rwkv:
        break;
    }
    return list_.add(
        {.name = "gated squares",
         .equation = "y_n = σ(W_r x^r_n) ⊙ W_v max(W_k x^k_n, 0)²,  x^c_n = μ_c x_n + (1 − μ_c) "
                     "x_{n−1}",
         .meaning = "Mixes the channels of each position and of the one before it, behind a gate.",
         .axes = "H×W×C",
         .output = sizesOf(node_->output),
         .inputs = inputs_,
         .parameters = 2 * channels * hidden + channels * channels + 2 * channels,
         .flops = (4 * channels * hidden + 2 * channels * channels) * positions,
         .activationBytes =
             countOf(kFloatBytes * static_cast<double>(kept + 4 * positions * channels))});
  }

  const NetworkGraph& graph_;
  OperationList list_;
  std::vector<Node>::const_iterator node_;
  const PlacedMixer* mixer_ = nullptr;      // That of the current layer, if it is a mixer's.
  std::vector<int> inputs_;                 // The operations that the current node takes.
  std::vector<int> last_;                   // The operation that gives a node's result.
  std::vector<const PlacedMixer*> mixers_;  // That of a node's layer, or null.
  std::vector<int> layers_;                 // The cost table's layer of a node.
};

}  // namespace

NetworkOperations operationsOf(const Architecture& architecture) {
  return operationsOf(graphOf(architecture));
}

NetworkOperations operationsOf(const NetworkGraph& graph) {
  return GraphOperations(graph).run();
}

std::vector<Operation> operationsOfBlock(const NetworkOperations& network, int stage, int block) {
  std::vector<Operation> operations;
  int first = -1;
  for (std::size_t i = 0; i < network.operations.size(); ++i) {
    const Operation& operation = network.operations[i];
    const OperatedLayer& layer = network.layers[static_cast<std::size_t>(operation.layer)];
    if (layer.stage != stage || layer.block != block) continue;
    if (first < 0) first = static_cast<int>(i);
    operations.push_back(operation);
    for (int& input : operations.back().inputs) input = std::max(input - first, kImageInput);
  }
  return operations;
}

}  // namespace lambda
