#include "engine/networks/network.h"

#include <algorithm>
#include <type_traits>

#include "engine/layers/blocks/channel_mixing.h"
#include "engine/layers/linear_product.h"
#include "engine/layers/norm/activation.h"
#include "engine/layers/norm/layer_norm.h"
#include "engine/layers/pooling.h"
#include "engine/layers/sequences/token_embedding.h"
#include "engine/layers/sequences/tokens.h"
#include "engine/runtime/process_memory.h"
#include "engine/values/architecture/cost.h"

namespace lambda {

namespace {

/// A module that only gives its children a common prefix.
class Group : public torch::nn::Module {};

/// The node at `next`, which is passed, if it is of that kind and of the layer; otherwise null.
template <class Kind>
const Kind* passed(const NetworkGraph& graph, const std::string& layer, std::size_t& next) {
  if (next == graph.nodes.size() || graph.nodes[next].layer != layer) return nullptr;
  const auto* kind = std::get_if<Kind>(&graph.nodes[next].kind);
  if (kind != nullptr) ++next;
  return kind;
}

/// The norm at `next`, which must be one, and the activation after it, if there is one.
struct UnitEnd {
  NormNode norm;
  std::optional<Activation> activation;

  UnitEnd(const NetworkGraph& graph, const std::string& layer, std::size_t& next) {
    const auto* found = passed<NormNode>(graph, layer, next);
    TORCH_CHECK(found != nullptr, "network: no norm follows in ", layer);
    norm = *found;
    if (const auto* node = passed<ActivationNode>(graph, layer, next)) {
      activation = node->activation;
    }
  }
};

}  // namespace

template <class Layer>
NetworkImpl::Step NetworkImpl::stepOfModule(const Layer& layer) {
  Step step{.run = [impl = layer.ptr()](const at::Tensor& x) { return impl->forward(x); }};
  if constexpr (std::is_base_of_v<RecurrentLayer, typename Layer::ContainedType>) {
    step.runNext = [impl = layer.ptr()](const at::Tensor& x, LayerState& state) {
      return impl->step(x, state);
    };
  }
  return step;
}

template <class Unit>
NetworkImpl::Step NetworkImpl::stepOfUnit(const Unit& unit, bool endsWithNorm) {
  Step step = stepOfModule(unit);
  if (!endsWithNorm) return step;
  step.runThen = [impl = unit.ptr()](const at::Tensor& x, const AfterNorm& after) {
    return impl->forwardThen(x, after);
  };
  return step;
}

NetworkImpl::NetworkImpl(const Architecture& architecture_)
    : architecture(architecture_), graph(graphOf(architecture_)) {
  requireMemory("architecture",
                "the weights of this network",
                static_cast<std::uint64_t>(costOf(architecture).parameters) * sizeof(float),
                "choose narrower or fewer stages");
  for (std::size_t next = 0; next < graph.nodes.size();) steps_.push_back(stepAt(next));
  planSteps();
  if (architecture.normStatistics == NormStatistics::batch) {
    for (const auto& module : modules(/*include_self=*/false)) {
      auto* norm = module->as<torch::nn::BatchNorm2dImpl>();
      if (norm != nullptr) norm->options.track_running_stats(false);
    }
  }
}

NetworkImpl::Step NetworkImpl::stepAt(std::size_t& next) {
  const Node& node = graph.nodes[next];
  Step step = std::visit([&](const auto& kind) { return stepOf(kind, ++next); }, node.kind);
  step.layer = node.layer;
  step.inputs = node.inputs;
  step.node = static_cast<int>(next) - 1;
  return step;
}

NetworkImpl::Step NetworkImpl::stepOf(const ConvolutionNode& node, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  const UnitEnd end(graph, place.layer, next);
  const auto unit = registerLayer(
      place.layer,
      ConvolutionUnit(ConvolutionUnitOptions{.inputDepth = graph.inputOf(place).channels,
                                             .outputDepth = place.output.channels,
                                             .kernelSize = node.kernel,
                                             .stride = node.stride,
                                             .padding = node.padding,
                                             .activation = end.activation,
                                             .zeroInit = end.norm.startsAtZero,
                                             .role = node.role,
                                             .fixedFilters = node.fixedFilters}));
  if (node.role == ParameterRole::input) first_ = unit;
  return stepOfUnit(unit, !end.activation);
}

NetworkImpl::Step NetworkImpl::stepOf(const PlacedMixer& node, std::size_t& next) {
  MixerUnitOptions options;
  if (const auto* pool = passed<PoolNode>(graph, node.name, next)) options.pool = *pool;
  const auto* norm = passed<NormNode>(graph, node.name, next);
  options.hasNorm = norm != nullptr;
  if (norm != nullptr) {
    options.zeroInit = norm->startsAtZero;
    if (const auto* after = passed<ActivationNode>(graph, node.name, next)) {
      options.activation = after->activation;
    }
  }
  // The group first: shared embeddings stand behind the stage of their first user.
  groupOf(node.name.substr(0, node.name.rfind('.')));
  const auto unit = registerLayer(node.name, MixerUnit(node, options, sharedEmbeddings(node)));
  mixers_.emplace_back(node.name, unit);
  Step step = stepOfUnit(unit, options.hasNorm && !options.activation);
  step.runNext = [unit](const at::Tensor& x, LayerState& state) {
    const auto layer = unit->layerAs<RecurrentLayer>();
    TORCH_CHECK(layer, "network: a mixer that is not causal reads no sequences in pieces");
    return layer->step(x, state);
  };
  return step;
}

NetworkImpl::Step NetworkImpl::stepOf(const PoolNode& node, std::size_t& /*next*/) {
  return {.run = [node](const at::Tensor& x) { return pooled(x, node); }};
}

NetworkImpl::Step NetworkImpl::stepOf(const SqueezeNode& node, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  return stepOfModule(
      registerLayer(place.layer, SqueezeExcitation(place.output.channels, node.ratio)));
}

NetworkImpl::Step NetworkImpl::stepOf(const SumNode& node, std::size_t& next) {
  const std::string& block = graph.nodes[next - 1].layer;
  Step step{.stochasticDepth = node.stochasticDepth, .block = groupOf(block)};
  if (const auto* after = passed<ActivationNode>(graph, block, next)) {
    step.activation = after->activation;
  }
  return step;
}

NetworkImpl::Step NetworkImpl::stepOf(const FeaturesNode& node, std::size_t& /*next*/) {
  return {.run = [this, node](const at::Tensor& x) {
    // mean and amax instead of adaptive pooling: their backward passes are deterministic on every
    // device.
    const at::Tensor features = node.pooling == Pooling::max ? x.amax({2, 3}) : x.mean({2, 3});
    const double kept = 1 - node.dropout;
    if (kept == 1 || !is_training()) return features;
    // at::dropout() takes no generator.
    return features * at::empty_like(features).bernoulli_(kept, random_).div_(kept);
  }};
}

NetworkImpl::Step NetworkImpl::stepOf(const LinearNode& node, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  const auto options =
      torch::nn::LinearOptions(graph.inputOf(place).channels, place.output.channels)
          .bias(node.bias);
  const auto linear = registerLinear(place.layer, ParameterRole::head, options);
  return {.run = [linear, node](const at::Tensor& x) {
    const at::Tensor rows = node.atPositions ? tokensOf(x) : x;
    const at::Tensor y = linearProduct(rows, linear->weight, linear->bias);
    return node.scale == 1 ? y : y * node.scale;
  }};
}

NetworkImpl::Step NetworkImpl::stepOf(const EmbeddingNode& node, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  return stepOfModule(
      registerLayer(place.layer, TokenEmbedding(node.vocabulary, place.output.channels)));
}

NetworkImpl::Step NetworkImpl::stepOf(const LayerNormNode& /*node*/, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  return stepOfModule(registerLayer(place.layer, LayerNorm(place.output.channels)));
}

NetworkImpl::Step NetworkImpl::stepOf(const ChannelMixingNode& node, std::size_t& next) {
  const Node& place = graph.nodes[next - 1];
  const int channels = place.output.channels;
  switch (node.kind) {
    case ChannelMixing::mlp:
      return stepOfModule(registerLayer(place.layer, Mlp(channels, node.hidden, node.activation)));
    case ChannelMixing::rwkv:
      break;
  }
  return stepOfModule(registerLayer(place.layer, RwkvChannelMixing(channels, node.hidden)));
}

NetworkImpl::Step NetworkImpl::stepOf(const ActivationNode& node, std::size_t& /*next*/) {
  return {.run = [node](const at::Tensor& x) { return activate(x, node.activation); }};
}

NetworkImpl::Step NetworkImpl::stepOf(const NormNode& /*node*/, std::size_t& next) {
  TORCH_CHECK(false, "network: a norm stands alone in ", graph.nodes[next - 1].layer);
}

void NetworkImpl::planSteps() {
  std::map<int, std::size_t> lastUses;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const bool continuesLayer = i > 0 && steps_[i - 1].layer == step.layer;
    step.layerInput = continuesLayer ? steps_[i - 1].layerInput : step.inputs.front();
    const bool isLast = i + 1 == steps_.size() || steps_[i + 1].layer != step.layer;
    step.endsLayer = step.run && isLast;
    for (const int input : step.inputs) lastUses[input] = i;
    if (step.endsLayer) lastUses[step.layerInput] = i;
    if (step.run) continue;
    const int branch = step.inputs[1];
    const auto ends = [&](const Step& each) { return each.node == branch && each.runThen; };
    const auto last = std::find_if(steps_.begin(), steps_.end(), ends);
    if (last != steps_.end()) last->sum = i;
  }
  for (const auto& [node, step] : lastUses) {
    if (node != kImageInput) steps_[step].released.push_back(node);
  }
}

template <class Layer>
Layer NetworkImpl::registerLayer(const std::string& name, Layer layer) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return register_module(name, layer);
  return groupOf(name.substr(0, dot))->register_module(name.substr(dot + 1), layer);
}

std::shared_ptr<torch::nn::Module> NetworkImpl::groupOf(const std::string& path) {
  std::shared_ptr<torch::nn::Module>& group = groups_[path];
  if (!group) group = registerLayer(path, std::make_shared<Group>());
  return group;
}

void NetworkImpl::freezeStages(int count) {
  const auto children = named_children();
  if (count > 0) frozen_.push_back(children["stem"]);
  for (int stage = 2; stage <= count; ++stage) {
    frozen_.push_back(children["stage" + std::to_string(stage - 1)]);
  }
  for (const PlacedMixer& place : graph.mixers()) {
    if (place.stage + 2 > count) continue;
    if (const auto shared = sharedEmbeddings(place)) frozen_.push_back(shared.ptr());
  }
  for (const auto& part : frozen_) {
    for (at::Tensor& parameter : part->parameters()) parameter.requires_grad_(false);
  }
}

void NetworkImpl::train(bool on) {
  RoledModule::train(on);
  for (const auto& part : frozen_) part->train(false);
}

void NetworkImpl::whitenStem(const PatchWhitening& patches) {
  TORCH_CHECK(architecture.stem.whitened, "network: its stem is not whitened");
  const at::NoGradGuard noGradient;
  at::Tensor& weight = first_->conv->weight;
  weight.copy_(patches.filters(weight.size(0)));
}

PositionEmbeddingTable NetworkImpl::sharedEmbeddings(const PlacedMixer& place) {
  return std::visit(
      [&](const auto& mixer) -> PositionEmbeddingTable {
        // Only mixers with this option have embeddings that can be shared.
        if constexpr (requires { mixer.sharedEmbeddings; }) {
          const std::string& name = mixer.sharedEmbeddings;
          if (name.empty() || mixer.embedding == PositionEmbedding::none) return nullptr;
          PositionEmbeddingTable& table = shared_.try_emplace(name, nullptr).first->second;
          if (!table) {
            const MapShape& map = place.input;
            table =
                PositionEmbeddingTable(positionEmbeddingOptionsOf(mixer, map.height, map.width));
            register_module("embeddings-" + name, table);
          }
          return table;
        } else {
          return nullptr;
        }
      },
      place.mixer);
}

bool NetworkImpl::dropsBranch(const Step& sum) {
  return sum.stochasticDepth > 0 && sum.block->is_training();
}

bool NetworkImpl::addsInNorm(const Step& sum, const ForwardTrace* trace) {
  return !dropsBranch(sum) && (trace == nullptr || trace->isPassive());
}

at::Tensor NetworkImpl::sumOf(const Step& sum,
                              const at::Tensor& shortcut,
                              const at::Tensor& branch) const {
  at::Tensor y = branch;
  if (dropsBranch(sum)) {
    const double kept = 1.0 - sum.stochasticDepth;
    // Each image has its own draw, as in Huang et al. (2016); scaled so that the expectation is
    // the same.
    const at::Tensor isKept =
        at::empty({branch.size(0), 1, 1, 1}, branch.options()).bernoulli_(kept, random_);
    y = branch * (isKept / kept);
  }
  y = y + shortcut;
  return sum.activation ? activate(y, *sum.activation) : y;
}

at::Tensor NetworkImpl::forward(const at::Tensor& x, ForwardTrace* trace) {
  const MapShape& input = architecture.input;
  TORCH_CHECK(x.dim() == 4 && x.size(1) == input.channels && x.size(2) == input.height &&
                  x.size(3) == input.width,
              "network: expected images [b, ",
              input.channels,
              ", ",
              input.height,
              ", ",
              input.width,
              "], got ",
              x.sizes());
  return walk(x, trace, [](const Step& step, const at::Tensor& of) { return step.run(of); });
}

at::Tensor NetworkImpl::step(const at::Tensor& x, SequenceState& state) {
  TORCH_CHECK(graph.takesTokens() && x.dim() == 4 && x.size(1) == 1 && x.size(2) == 1,
              "network: expected tokens [b, 1, 1, m] for a network of tokens, got ",
              x.sizes());
  const at::NoGradGuard noGradients;
  return walk(x, nullptr, [&](const Step& step, const at::Tensor& of) {
    return step.runNext ? step.runNext(of, state[step.layer]) : step.run(of);
  });
}

template <class Run>
at::Tensor NetworkImpl::walk(const at::Tensor& x, ForwardTrace* trace, const Run& runOf) {
  std::vector<at::Tensor> results(graph.nodes.size());
  const auto resultOf = [&](int node) -> const at::Tensor& {
    return node == kImageInput ? x : results[static_cast<std::size_t>(node)];
  };
  const auto release = [&](const Step& step) {
    for (const int node : step.released) results[static_cast<std::size_t>(node)].reset();
  };
  const auto finish = [&](const Step& step, const at::Tensor& y) {
    results[static_cast<std::size_t>(step.node)] = y;
    if (trace != nullptr && step.endsLayer) trace->visit(step.layer, resultOf(step.layerInput), y);
  };
  const auto run = [&](const Step& step) { finish(step, runOf(step, resultOf(step.inputs[0]))); };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    std::size_t last = i;
    if (step.sum > 0 && addsInNorm(steps_[step.sum], trace)) {
      // The shortcut stands between the end of the branch and the sum.
      last = step.sum;
      for (std::size_t between = i + 1; between < last; ++between) run(steps_[between]);
      const Step& sum = steps_[last];
      const at::Tensor y =
          step.runThen(resultOf(step.inputs[0]), {resultOf(sum.inputs[0]), sum.activation});
      finish(step, y);
      finish(sum, y);
    } else if (step.run) {
      run(step);
    } else {
      finish(step, sumOf(step, resultOf(step.inputs[0]), resultOf(step.inputs[1])));
    }
    for (; i < last; ++i) release(steps_[i]);
    release(steps_[i]);
  }
  return results.back();
}

std::vector<NamedLambda> NetworkImpl::lambdaLayers() const {
  std::vector<NamedLambda> layers;
  for (const auto& [name, unit] : mixers_) {
    const auto layer = unit->layerAs<LambdaLayerImpl>();
    if (layer) layers.push_back({name, unit, LambdaLayer(layer)});
  }
  return layers;
}

}  // namespace lambda
