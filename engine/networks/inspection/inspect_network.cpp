#include "engine/networks/inspection/inspect_network.h"

#include "engine/networks/inspection/inspection_mode.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Records the input of one layer.
class InputTrace : public ForwardTrace {
 public:
  explicit InputTrace(std::string layer) : layer_(std::move(layer)) {}

  void visit(const std::string& layer, const at::Tensor& input, const at::Tensor&) override {
    if (layer == layer_) input_ = input;
  }

  const at::Tensor& input() const { return input_; }

 private:
  std::string layer_;
  at::Tensor input_;
};

/// The requested layer among those that can be inspected; the first one for an empty name.
InspectableLayer requestedLayer(const Network& network, const std::string& asked) {
  const std::vector<InspectableLayer> layers = inspectableLayers(network->architecture);
  std::string names;
  for (const InspectableLayer& layer : layers) {
    if (asked.empty() || isNamed(layer.name, asked)) return layer;
    names += (names.empty() ? "" : ", ") + layer.name;
  }
  for (const NamedLambda& lambda : network->lambdaLayers()) {
    if (!asked.empty() && !isNamed(lambda.name, asked)) continue;
    throw Error(lambda.name,
                "its tokens are runs of channels, not pixels, so that no pixel has a contribution",
                "inspect a layer whose token order is pixels");
  }
  if (layers.empty()) {
    throw Error(asked,
                "the network has no layer that can be inspected",
                "give one of its blocks a lambda layer or attention as its mixer");
  }
  throw Error(asked, "is no layer of this network that can be inspected", "layers: " + names);
}

QueryPlace placeOf(const InspectableLayer& layer, const InspectionRequest& request) {
  const auto along = [&](const char* axis, int asked, int size) {
    if (asked >= -1 && asked < size) return asked == -1 ? size / 2 : asked;
    throw Error(
        layer.name,
        std::string("query ") + axis + " " + std::to_string(asked) + " is not on its " +
            std::to_string(layer.height) + "x" + std::to_string(layer.width) + " map",
        std::string(axis) + "s go from 0 to " + std::to_string(size - 1) + "; -1 is the middle");
  };
  return {along("row", request.queryRow, layer.height),
          along("column", request.queryColumn, layer.width)};
}

/// The image as a batch of one, as the network takes it, on its device.
at::Tensor batchOf(const at::Tensor& image, const MapShape& input, const at::Device& device) {
  const at::Tensor batch = image.dim() == 3 ? image.unsqueeze(0) : image;
  if (batch.dim() != 4 || batch.size(0) != 1 || batch.size(1) != input.channels ||
      batch.size(2) != input.height || batch.size(3) != input.width) {
    throw Error("",
                "the image has shape " + c10::str(image.sizes()) + ", the network takes [" +
                    std::to_string(input.channels) + ", " + std::to_string(input.height) + ", " +
                    std::to_string(input.width) + "]",
                "scale the image to the size of the network's input");
  }
  return batch.to(device, at::kFloat);
}

at::Tensor initialTable(const Network& network,
                        const LambdaLayer& layer,
                        const EmbeddingTables* known) {
  if (known == nullptr || !layer->embedding) return {};
  for (const auto& parameter : network->named_parameters()) {
    if (!parameter.value().is_same(layer->embedding->table)) continue;
    const auto found = known->find(parameter.key());
    if (found != known->end()) return found->second;
  }
  return {};
}

/// Throws Error if the values are not finite, because they can't be shown as pictures. An undefined
/// tensor, an operand that the layer lacks, is accepted.
void requireFinite(const std::string& layer, const char* what, const at::Tensor& values) {
  if (!values.defined() || values.isfinite().all().item<bool>()) return;
  throw Error(layer,
              std::string(what) + " are not finite with this image",
              "inspect an earlier checkpoint, or another image");
}

/// Fills the snapshot's total contributions with the weights of one image at one query, and its
/// effect and residual where the output is the weighted sum of the terms' values. The size of the
/// map is that of the snapshot's layer.
void showAttention(const AttentionTerms& terms, InspectionSnapshot& snapshot) {
  const std::int64_t height = snapshot.layer.height, width = snapshot.layer.width;
  const at::Tensor weights = inDouble(terms.weights[0]);  // [h, m]
  snapshot.contributions.total = arrayOf(weights.view({-1, 1, height, width}));
  if (!terms.values.defined()) return;
  const at::Tensor values = inDouble(terms.values[0]);  // [h, m, c]
  const at::Tensor output = inDouble(terms.output[0]);  // [h, c]
  snapshot.effect = arrayOf((weights.abs() * at::linalg_vector_norm(values, 2, at::IntArrayRef{2}))
                                .view({-1, height, width}));
  snapshot.residual = residualOf(at::einsum("hm,hmc->hc", {weights, values}), output);
}

}  // namespace

EmbeddingTables embeddingTablesOf(const Network& network) {
  EmbeddingTables tables;
  for (const auto& parameter : network->named_parameters()) {
    for (const NamedLambda& lambda : network->lambdaLayers()) {
      const PositionEmbeddingTable& embedding = lambda.layer->embedding;
      if (embedding.is_empty() || !parameter.value().is_same(embedding->table)) continue;
      tables[parameter.key()] = parameter.value().detach().to(at::kCPU).clone();
      break;
    }
  }
  return tables;
}

LayerView::LayerView(Network& network, const at::Tensor& image, const std::string& layer)
    : network_(network) {
  layer_ = requestedLayer(network, layer);
  const at::Device device = network->parameters().front().device();
  const at::Tensor batch = batchOf(image, network->architecture.input, device);
  const InspectionMode mode(*network, device.type());
  InputTrace trace(layer_.name);
  const at::Tensor outputs = network->forward(batch, &trace);
  requireFinite(layer_.name, "the outputs", outputs);
  outputs_ = arrayOf(outputs[0]).values;
  switch (network->architecture.task) {
    case Task::classification:
      probabilities_ = arrayOf(outputs.to(at::kDouble).softmax(1)[0]).values;
      predicted_ = static_cast<int>(outputs[0].argmax().item<std::int64_t>());
      break;
    case Task::regression:
    case Task::tokens:
      break;
  }
  for (const auto& [name, unit] : network->mixers()) {
    if (name == layer_.name) readOperands(unit, trace.input());
  }
}

void LayerView::readOperands(const MixerUnit& unit, const at::Tensor& input) {
  if (const auto shown = unit->layerAs<ShowsAttention>()) {
    attention_ = shown;
    input_ = input;
    return;
  }
  lambda_ = LambdaLayer(unit->layerAs<LambdaLayerImpl>());
  operands_ = operandsOf(lambda_, input);
  requireFinite(layer_.name, "its queries", operands_.queries);
  requireFinite(layer_.name, "its keys", operands_.keys);
  requireFinite(layer_.name, "its values", operands_.values);
  if (lambda_->embedding) {
    requireFinite(layer_.name, "its position embeddings", lambda_->embedding->table);
  }
}

InspectionSnapshot LayerView::at(const InspectionRequest& request,
                                 const InspectionContext& context) {
  const QueryPlace query = placeOf(layer_, request);
  InspectionSnapshot snapshot;
  snapshot.request = request;
  snapshot.step = context.step;
  snapshot.epoch = context.epoch;
  snapshot.weights = context.weights;
  snapshot.layer = layer_;
  snapshot.queryRow = static_cast<int>(query.row);
  snapshot.queryColumn = static_cast<int>(query.column);
  snapshot.image = context.image;
  snapshot.label = context.label;
  snapshot.classNames = context.classNames;
  snapshot.probabilities = probabilities_;
  for (std::size_t i = 0; i < std::min(context.numbers.size(), outputs_.size()); ++i) {
    const NumberScale& scale = context.numbers[i];
    snapshot.numbers.push_back({scale.name, scale.mean + scale.deviation * outputs_[i]});
    if (i < context.trueNumbers.size()) snapshot.numbers.back().truth = context.trueNumbers[i];
  }
  snapshot.predicted = predicted_;

  const at::NoGradGuard noGradient;
  if (lambda_.is_empty()) {
    const InspectionMode mode(*network_, input_.device().type());
    const AttentionTerms terms = attention_->terms(input_, query.row * layer_.width + query.column);
    requireFinite(layer_.name, "its weights", terms.weights);
    showAttention(terms, snapshot);
    return snapshot;
  }
  decompose(lambda_, operands_, query, snapshot);
  snapshot.embeddings = embeddingTilesOf(lambda_,
                                         initialTable(network_, lambda_, context.initialEmbeddings),
                                         query,
                                         request.withPatterns);
  return snapshot;
}

InspectionSnapshot inspectNetwork(Network& network,
                                  const at::Tensor& image,
                                  const InspectionRequest& request,
                                  const InspectionContext& context) {
  return LayerView(network, image, request.layer).at(request, context);
}

}  // namespace lambda
