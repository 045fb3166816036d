#include "engine/formats/json/graph_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

Json jsonOfMap(const MapShape& map) {
  return {map.channels, map.height, map.width};
}

// kindOf() gives the kind of a node with its options.

Json kindOf(const ConvolutionNode& node) {
  return {{"kind", "convolution"},
          {"kernel", node.kernel},
          {"stride", node.stride},
          {"padding", node.padding}};
}

Json kindOf(const NormNode& /*node*/) {
  return {{"kind", "norm"}};
}

Json kindOf(const ActivationNode& node) {
  return {{"kind", "activation"}, {"activation", jsonOf(node.activation)}};
}

Json kindOf(const PlacedMixer& node) {
  return {{"kind", "mixer"}, {"mixer", jsonOf(node.mixer)}, {"stride", node.stride}};
}

Json kindOf(const PoolNode& node) {
  return {{"kind", "pool"}, {"pooling", jsonOf(node.pooling)}, {"window", node.window}};
}

Json kindOf(const SqueezeNode& node) {
  return {{"kind", "squeeze"}, {"ratio", node.ratio}};
}

Json kindOf(const SumNode& node) {
  return {{"kind", "sum"}, {"stochasticDepth", node.stochasticDepth}};
}

Json kindOf(const FeaturesNode& node) {
  return {{"kind", "features"}, {"pooling", jsonOf(node.pooling)}, {"dropout", node.dropout}};
}

Json kindOf(const LinearNode& node) {
  Json json{{"kind", "linear"}, {"bias", node.bias}, {"scale", node.scale}};
  if (node.atPositions) json["atPositions"] = true;
  return json;
}

Json kindOf(const EmbeddingNode& node) {
  return {{"kind", "embedding"}, {"vocabulary", node.vocabulary}};
}

Json kindOf(const LayerNormNode& /*node*/) {
  return {{"kind", "layerNorm"}};
}

Json kindOf(const ChannelMixingNode& node) {
  return {{"kind", "channelMixing"},
          {"channelMixing", jsonOf(node.kind)},
          {"hidden", node.hidden},
          {"activation", jsonOf(node.activation)}};
}

}  // namespace

std::string graphJson(const NetworkGraph& graph, NormStatistics statistics) {
  Json nodes = Json::array();
  for (const Node& node : graph.nodes) {
    Json json{{"layer", node.layer},
              {"inputs", node.inputs},
              {"input", jsonOfMap(graph.inputOf(node))},
              {"output", jsonOfMap(node.output)}};
    json.update(std::visit([](const auto& kind) { return kindOf(kind); }, node.kind));
    nodes.push_back(std::move(json));
  }
  return formatJsonLine(Json{{"normStatistics", jsonOf(statistics)}, {"nodes", std::move(nodes)}});
}

}  // namespace lambda
