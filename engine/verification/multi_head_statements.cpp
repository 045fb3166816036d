// The multi-head lambda layer (LambdaNetworks, appendix B.3) and what it contains.

#include "engine/layers/attention/linear_attention.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/verification/statements.h"

namespace lambda {

namespace {

struct HeadCase {
  int height;
  int width;
  int heads;
  int intraDepth;
  int scope;
};

constexpr int kInputDepth = 6;
constexpr int kOutputDepth = 12;

LambdaLayerOptions layerOf(const HeadCase& shape) {
  LambdaLayerOptions options;
  options.mixer.heads = shape.heads;
  options.mixer.intraDepth = shape.intraDepth;
  options.mixer.scope = shape.scope;
  options.mixer.queryDepth = 5;
  options.inputDepth = kInputDepth;
  options.outputDepth = kOutputDepth;
  options.mapHeight = shape.height;
  options.mapWidth = shape.width;
  return options;
}

/// Gives each head of `all` the values that the heads of `one` share, along a dimension.
void tie(at::Tensor all, const at::Tensor& one, std::int64_t dimension, int heads) {
  std::vector<at::Tensor> copies(static_cast<std::size_t>(heads), one);
  all.copy_(at::cat(copies, dimension));
}

}  // namespace

void compareMultiHead(Trial& trial) {
  for (const HeadCase& shape :
       {HeadCase{4, 4, 3, 1, 0}, HeadCase{3, 5, 2, 3, 0}, HeadCase{5, 4, 4, 1, 3}}) {
    LambdaLayerOptions options = layerOf(shape);
    LambdaLayer multiQuery(options);
    options.mixer.multiHead = true;
    LambdaLayer multiHead(options);
    trial.prepare(*multiQuery);
    trial.prepare(*multiHead);
    multiHead->queries->weight.copy_(multiQuery->queries->weight);
    multiHead->queryNorm->weight.copy_(multiQuery->queryNorm->weight);
    tie(multiHead->keys->weight, multiQuery->keys->weight, 0, shape.heads);
    tie(multiHead->values->weight, multiQuery->values->weight, 0, shape.heads);
    tie(multiHead->valueNorm->weight, multiQuery->valueNorm->weight, 0, shape.heads);
    tie(multiHead->embedding->table, multiQuery->embedding->table, 1, shape.heads);
    const at::Tensor x = trial.normal({2, kInputDepth, shape.height, shape.width});
    const at::Tensor expected = multiQuery(x);
    trial.disturb(*multiHead);
    trial.compare(multiHead(x), expected);
  }
}

void compareLinearAttention(Trial& trial) {
  for (const HeadCase& shape :
       {HeadCase{4, 4, 3, 1, 0}, HeadCase{3, 6, 1, 1, 0}, HeadCase{1, 5, 12, 1, 0}}) {
    LinearAttention attention(AttentionOptions{.inputDepth = kInputDepth,
                                               .outputDepth = kOutputDepth,
                                               .heads = shape.heads,
                                               .mapHeight = shape.height,
                                               .mapWidth = shape.width},
                              FeatureMap::softmax);
    LambdaLayerOptions options = layerOf(shape);
    options.mixer.queryDepth = kOutputDepth / shape.heads;
    options.mixer.embedding = PositionEmbedding::none;
    options.mixer.multiHead = true;
    options.mixer.softmaxQueries = true;
    options.mixer.normalizeQueries = false;
    options.mixer.normalizeValues = false;
    LambdaLayer layer(options);
    trial.prepare(*attention);
    trial.prepare(*layer);
    layer->queries->weight.copy_(attention->queries->weight);
    layer->keys->weight.copy_(attention->keys->weight);
    layer->values->weight.copy_(attention->values->weight);
    const at::Tensor x = trial.normal({2, kInputDepth, shape.height, shape.width});
    const at::Tensor expected = attention(x);
    trial.disturb(*layer);
    trial.compare(layer(x), expected);
  }
}

}  // namespace lambda
