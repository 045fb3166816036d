#include "engine/benchmarks/layer/layer_forms.h"

#include <torch/autograd.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/mixers/mixers.h"
#include "engine/layers/pooling.h"

namespace lambda {

namespace {

constexpr double kNormMomentum = 0.1;
constexpr double kNormEpsilon = 1e-5;

at::Tensor leafOf(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.detach().to(type).clone().requires_grad_(true);
}

at::Tensor normalized(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift) {
  return at::batch_norm(
      x, scale, shift, {}, {}, /*training=*/true, kNormMomentum, kNormEpsilon, true);
}

at::Tensor pooledByEngine(const LayerCase& shape, const at::Tensor& y) {
  return shape.stride == 1 ? y : poolAverage(y);
}

at::Tensor toPixels(const at::Tensor& map) {
  return map.permute({0, 2, 3, 1}).flatten(1, 2);
}

}  // namespace

at::Tensor pooled(const LayerCase& shape, const at::Tensor& y) {
  return shape.stride == 1 ? y : at::avg_pool2d(y, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
}

LayerWeights weightsOf(LambdaLayer layer, at::ScalarType type) {
  PositionEmbeddingTable& embedding = layer->embedding;
  const int height = layer->options.mapHeight, width = layer->options.mapWidth;
  return {leafOf(layer->queries->weight, type),
          leafOf(layer->keys->weight, type),
          leafOf(layer->values->weight, type),
          leafOf(layer->queryNorm->weight, type),
          leafOf(layer->queryNorm->bias, type),
          leafOf(layer->valueNorm->weight, type),
          leafOf(layer->valueNorm->bias, type),
          {leafOf(embedding->table, type),
           embedding->pairRows(height, width),
           leafOf(embedding->expand(height, width), type),
           embedding->tableRows(height, width)}};
}

LayerForm plainLayer(const LayerCase& shape, const LayerWeights& weights, const CoreForm& core) {
  const auto apply = [shape, weights, core](const at::Tensor& x) {
    const std::int64_t b = x.size(0), n = x.size(2) * x.size(3);
    const at::Tensor q =
        normalized(at::conv2d(x, weights.queries), weights.queryScale, weights.queryShift);
    const at::Tensor v =
        normalized(at::conv2d(x, weights.values), weights.valueScale, weights.valueShift);
    const LambdaOperands operands{toPixels(q).reshape({b, n, shape.heads, shape.queryDepth}),
                                  toPixels(at::conv2d(x, weights.keys)).softmax(1),
                                  toPixels(v)};
    const at::Tensor y = core.apply(operands, weights.embeddings);
    return pooled(shape, y.reshape({b, x.size(2), x.size(3), -1}).permute({0, 3, 1, 2}));
  };
  LayerForm form{"lambda layer, " + core.name,
                 apply,
                 {weights.queries,
                  weights.keys,
                  weights.values,
                  weights.queryScale,
                  weights.queryShift,
                  weights.valueScale,
                  weights.valueShift,
                  weights.embeddings.*core.weight}};
  if (core.weight == &CoreEmbeddings::expanded) form.expanded = weights.embeddings;
  return form;
}

LayerForm engineLayer(const LayerCase& shape, LambdaLayer layer) {
  const std::vector<at::Tensor> parameters{layer->queries->weight,
                                           layer->keys->weight,
                                           layer->values->weight,
                                           layer->queryNorm->weight,
                                           layer->queryNorm->bias,
                                           layer->valueNorm->weight,
                                           layer->valueNorm->bias,
                                           layer->embedding->table};
  const auto apply = [shape, layer](const at::Tensor& x) mutable {
    return shape.stride == 1 ? layer(x) : layer->forwardPooled(x);
  };
  return {"lambda layer", apply, parameters};
}

LayerForm convolutionLayer(torch::nn::Conv2d convolution) {
  const std::vector<at::Tensor> parameters{convolution->weight};
  const auto apply = [convolution](const at::Tensor& x) mutable {
    return convolve(convolution, x);
  };
  return {"convolution 3x3", apply, parameters};
}

LayerForm plainConvolution(const LayerCase& shape, const at::Tensor& weight) {
  const auto apply = [stride = shape.stride, weight](const at::Tensor& x) {
    return at::conv2d(x, weight, {}, stride, /*padding=*/1);
  };
  return {"convolution 3x3, LibTorch", apply, {weight}};
}

MixerLayer mixerLayer(const LayerCase& shape, const std::string& name, const Mixer& mixer) {
  PlacedMixer place;
  place.input = place.output = {shape.depth, shape.side, shape.side};
  const auto module = std::make_shared<RoledModule>();
  const MapFunction mix = std::visit(
      [&](const auto& options) { return addMixer(*module, options, place, nullptr); }, mixer);
  const auto apply = [shape, mix](const at::Tensor& x) { return pooledByEngine(shape, mix(x)); };
  return {module, {name, apply, module->parameters()}};
}

std::vector<at::Tensor> gradientsOf(const LayerForm& form,
                                    const at::Tensor& y,
                                    const at::Tensor& x,
                                    const at::Tensor& dy) {
  std::vector<at::Tensor> leaves = form.parameters;
  leaves.push_back(x);
  return torch::autograd::grad({y}, leaves, {dy.to(y.scalar_type())});
}

std::vector<at::Tensor> outcomesOf(const LayerForm& form,
                                   const at::Tensor& x,
                                   const at::Tensor& dy) {
  const at::Tensor y = form.apply(x);
  std::vector<at::Tensor> all = gradientsOf(form, y, x, dy);
  if (form.expanded) {
    at::Tensor& embedding = all[form.parameters.size() - 1];
    embedding = foldToTable(embedding, *form.expanded);
  }
  all.push_back(y.detach());
  return all;
}

}  // namespace lambda
