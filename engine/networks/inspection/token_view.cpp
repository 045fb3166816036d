#include "engine/networks/inspection/token_view.h"

#include <utility>

#include "engine/networks/inspection/inspection_mode.h"
#include "engine/networks/inspection/lambda_arithmetic.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Records input and output of one layer.
class LayerTrace : public ForwardTrace {
 public:
  explicit LayerTrace(std::string layer) : layer_(std::move(layer)) {}

  void visit(const std::string& layer,
             const at::Tensor& layerInput,
             const at::Tensor& layerOutput) override {
    if (layer != layer_) return;
    input = layerInput;
    output = layerOutput;
  }

  at::Tensor input;   ///< [1, d, 1, W]
  at::Tensor output;  ///< [1, d', 1, W]

 private:
  std::string layer_;
};

InspectableLayer requestedLayer(const Architecture& architecture, const std::string& asked) {
  if (architecture.task != Task::tokens) {
    throw Error("", "the network takes images, not tokens", "inspect one of its images");
  }
  std::string names;
  for (const InspectableLayer& layer : tokenLayers(architecture)) {
    if (asked.empty() || isNamed(layer.name, asked)) return layer;
    names += (names.empty() ? "" : ", ") + layer.name;
  }
  throw Error(asked, "is no layer of this network that can be inspected", "layers: " + names);
}

void requireTokens(const Architecture& architecture,
                   const InspectableLayer& layer,
                   const std::vector<std::int64_t>& tokens) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  const std::string has = "it has " + std::to_string(count) + (count == 1 ? " token" : " tokens");
  if (count < 2) throw Error("text", has + ", too few to compare", "give at least two tokens");
  if (count > architecture.input.width) {
    const std::string most = std::to_string(architecture.input.width);
    throw Error("text",
                has + ", and the network takes " + most + " at once",
                "give at most " + most + " of them");
  }
  if (layer.heads * count * count > TokenView::mostPairs) {
    throw Error("text",
                has + ", of which the layer's " + std::to_string(layer.heads) +
                    " heads make more pairs than a map can hold",
                "give a shorter text");
  }
  for (const std::int64_t token : tokens) {
    if (token >= 0 && token < architecture.outputs) continue;
    throw Error("text",
                "it has the token " + std::to_string(token) +
                    ", and the network knows those below " + std::to_string(architecture.outputs),
                "give other tokens");
  }
}

/// The tokens as the network takes them, [1, 1, 1, W]. Zeros follow a shorter text: no position
/// sees a later one.
at::Tensor inputOf(const std::vector<std::int64_t>& tokens, int width) {
  const at::Tensor input = at::zeros({1, 1, 1, width}, at::kLong);
  input.flatten()
      .narrow(0, 0, static_cast<std::int64_t>(tokens.size()))
      .copy_(at::tensor(tokens, at::kLong));
  return input;
}

void requireFinite(const std::string& place, const at::Tensor& values) {
  if (values.isfinite().all().item<bool>()) return;
  throw Error(place,
              "its values are not finite with this text",
              "inspect an earlier checkpoint, or another text");
}

}  // namespace

TokenView::TokenView(Network& network, std::vector<std::int64_t> tokens, const std::string& layer)
    : network_(network),
      tokens_(std::move(tokens)),
      layer_(requestedLayer(network->architecture, layer)) {
  requireTokens(network->architecture, layer_, tokens_);
  const InspectionMode mode(*network, at::kCPU);
  LayerTrace trace(layer_.name);
  const auto count = static_cast<std::int64_t>(tokens_.size());
  logits_ = inDouble(
      network->forward(inputOf(tokens_, network->architecture.input.width), &trace)[0].narrow(
          0, 0, count));
  output_ = inDouble(trace.output[0].flatten(1).t().narrow(0, 0, count));
  requireFinite(layer_.name, output_);
  requireFinite("", logits_);
  for (const auto& [name, unit] : network->mixers()) {
    if (name == layer_.name) arithmetic_ = TokenArithmetic::of(unit, trace.input);
  }
  makeMaps();
}

void TokenView::makeMaps() {
  const auto count = static_cast<std::int64_t>(tokens_.size());
  at::Tensor content, position, weights, effect;
  const auto put = [&](at::Tensor& map, std::int64_t token, const at::Tensor& row) {
    if (!row.defined()) return;
    if (!map.defined()) map = at::zeros({row.size(0), count, count});
    map.select(1, token).narrow(1, 0, token + 1).copy_(row);
  };
  for (std::int64_t token = 0; token < count; ++token) {
    const TokenTerms terms = arithmetic_->at(token);
    put(content, token, terms.content);
    put(position, token, terms.position);
    put(weights, token, terms.weights);
    put(effect, token, at::linalg_vector_norm(terms.vectors, 2, at::IntArrayRef{2}));
  }
  const auto arrayOrNone = [](const at::Tensor& map) {
    return map.defined() ? arrayOf(map) : Array();
  };
  maps_ = std::make_shared<const TokenMaps>(TokenMaps{.weights = {.content = arrayOrNone(content),
                                                                  .position = arrayOrNone(position),
                                                                  .total = arrayOf(weights)},
                                                      .effect = arrayOf(effect)});
}

TokenSnapshot TokenView::at(int position) {
  const int count = static_cast<int>(tokens_.size());
  if (position < -1 || position >= count) {
    throw Error("position " + std::to_string(position),
                "the text has " + std::to_string(count) + " tokens",
                "positions go from 0 to " + std::to_string(count - 1) + "; -1 is the last one");
  }
  TokenSnapshot snapshot;
  snapshot.layer = layer_;
  snapshot.tokens = tokens_;
  snapshot.position = position == -1 ? count - 1 : position;
  snapshot.maps = maps_;
  const InspectionMode mode(*network_, at::kCPU);
  const TokenTerms terms = arithmetic_->at(snapshot.position);
  if (terms.channelWeights.defined()) snapshot.channelWeights = arrayOf(terms.channelWeights);
  snapshot.decays = arithmetic_->decays();
  snapshot.kept = arithmetic_->keptAfter(snapshot.position);
  snapshot.residual = residualOf(terms.vectors.sum(1).flatten(), output_[snapshot.position]);
  snapshot.probabilities = arrayOf(logits_[snapshot.position].softmax(0)).values;
  return snapshot;
}

}  // namespace lambda
