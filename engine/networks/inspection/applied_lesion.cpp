#include "engine/networks/inspection/applied_lesion.h"

#include <algorithm>
#include <utility>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// The sides r of windows to which positions are limited.
constexpr int kCutScopes[] = {31, 23, 15, 11, 7, 5, 3};

/// The table of relative embeddings with zeros at all offsets of more than `reach` rows or columns.
at::Tensor tableWithin(const PositionEmbeddingTableImpl& embedding, std::int64_t reach) {
  const PositionEmbeddingOptions& options = embedding.options;
  const std::int64_t rows = options.scope > 0 ? options.scope : 2 * options.height - 1;
  const std::int64_t columns = options.scope > 0 ? options.scope : 2 * options.width - 1;
  const std::int64_t down = std::min(reach, rows / 2), right = std::min(reach, columns / 2);
  const auto middle = [&](const at::Tensor& table) {
    return table.unflatten(0, {rows, columns})
        .narrow(0, rows / 2 - down, 2 * down + 1)
        .narrow(1, columns / 2 - right, 2 * right + 1);
  };
  const at::Tensor whole = embedding.table.detach(), cut = at::zeros_like(whole);
  middle(cut).copy_(middle(whole));
  return cut;
}

}  // namespace

CutLayer::CutLayer(LambdaLayer layer, const Lesion& lesion)
    : layer_(std::move(layer)),
      mixer_(layer_->options.mixer),
      keys_(layer_->keys),
      embedding_(layer_->embedding),
      cutQueries_(layer_->cutQueries) {
  switch (lesion.part) {
    case LesionPart::content:
    case LesionPart::position:
      leaveOut(lesion.part);
      break;
    case LesionPart::scope: {
      // A copy, because other layers may share the table.
      const auto cut = std::make_shared<PositionEmbeddingTableImpl>(*embedding_);
      cut->table = tableWithin(*embedding_, lesion.number / 2);
      layer_->embedding = PositionEmbeddingTable(cut);
      break;
    }
    case LesionPart::head:
    case LesionPart::row: {
      // Row i of a lambda meets only channel i of the queries.
      const at::Tensor channels = at::zeros({mixer_.heads, mixer_.queryDepth}, at::kBool);
      channels.select(lesion.part == LesionPart::head ? 0 : 1, lesion.number).fill_(true);
      addToCutQueries(channels);
      break;
    }
  }
}

CutLayer::~CutLayer() {
  layer_->options.mixer = std::move(mixer_);
  layer_->keys = keys_;
  layer_->embedding = embedding_;
  layer_->cutQueries = cutQueries_;
}

/// Makes the layer one without content or without positions.
void CutLayer::leaveOut(LesionPart part) {
  if (!keys_ || !embedding_) {
    // Its only lambda: without queries its output is 0 as well, and the layer remains a valid one.
    addToCutQueries(at::ones({mixer_.heads, mixer_.queryDepth}, at::kBool));
    return;
  }
  LambdaMixer& mixer = layer_->options.mixer;
  if (part == LesionPart::content) {
    layer_->keys = nullptr;
    mixer.content = false;
  } else {
    layer_->embedding = nullptr;
    mixer.embedding = PositionEmbedding::none;
  }
}

void CutLayer::addToCutQueries(const at::Tensor& channels) {
  const at::Tensor all = channels.to(layer_->queries->weight.device());
  layer_->cutQueries = cutQueries_.defined() ? cutQueries_.logical_or(all) : all;
}

AppliedLesion::AppliedLesion(const Network& network, const Lesion& lesion) {
  for (const NamedLambda& each : network->lambdaLayers()) {
    if (!lesion.layer.empty() && !isNamed(each.name, lesion.layer)) continue;
    const LambdaLayerOptions& options = each.layer->options;
    if (!cuts(lesion, options.mixer, options.mapHeight, options.mapWidth)) continue;
    layers_.emplace_back(each.layer, lesion);
  }
  if (layers_.empty()) {
    throw Error(lesion.layer, "no lambda layer has what is to be cut: " + textOf(lesion));
  }
}

std::vector<Lesion> lesionsOf(const Network& network, const std::string& layer) {
  std::vector<LambdaLayerOptions> chosen;
  std::string names, name;
  for (const NamedLambda& each : network->lambdaLayers()) {
    names += (names.empty() ? "" : ", ") + each.name;
    if (!layer.empty() && !isNamed(each.name, layer)) continue;
    if (!layer.empty()) name = each.name;
    chosen.push_back(each.layer->options);
  }
  if (names.empty()) {
    throw Error(layer,
                "the network has no lambda layer, and only lambda layers have parts to cut",
                "choose a run of a network with lambda layers");
  }
  if (chosen.empty()) throw Error(layer, "is no lambda layer of this network", "layers: " + names);

  int heads = 0, rows = 0;
  for (const LambdaLayerOptions& options : chosen) {
    heads = std::max(heads, options.mixer.heads);
    rows = std::max(rows, options.mixer.queryDepth);
  }
  std::vector<Lesion> lesions{{LesionPart::content, 0, name}, {LesionPart::position, 0, name}};
  for (const int scope : kCutScopes) lesions.push_back({LesionPart::scope, scope, name});
  for (int head = 0; head < heads; ++head) lesions.push_back({LesionPart::head, head, name});
  for (int row = 0; row < rows; ++row) lesions.push_back({LesionPart::row, row, name});
  std::erase_if(lesions, [&](const Lesion& lesion) {
    return std::ranges::none_of(chosen, [&](const LambdaLayerOptions& options) {
      return cuts(lesion, options.mixer, options.mapHeight, options.mapWidth);
    });
  });
  return lesions;
}

}  // namespace lambda
