#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/layers/attention/axial_attention.h"
#include "engine/layers/attention/gated_attention.h"
#include "engine/layers/attention/linear_attention.h"
#include "engine/layers/attention/local_attention.h"
#include "engine/layers/attention/non_local.h"
#include "engine/layers/attention/self_attention.h"
#include "engine/layers/mixers/mixers.h"
#include "tests/support/naive_attention.h"
#include "tests/support/tensor_close.h"

namespace lambda::test {

using TensorFunction = std::function<at::Tensor(const at::Tensor&)>;

/// A layer with its definition in naive loops, which reads the layer's weights at each call.
struct LayerSubject {
  std::shared_ptr<RoledModule> module;
  TensorFunction forward;
  TensorFunction weights;  ///< Of pairs [b, h, n, m]; null for layers without them.
  std::function<NaiveResult(const NaiveMap&)> naive;
};

struct LayerTestCase {
  std::string name;
  MapShape input;
  int depth = 0;  ///< Channels of the output.
  std::function<LayerSubject()> make;
  bool sumsToOne = true;  ///< Whether the weights of a query add up to 1.
  bool fitsAnyMap = false;
  bool sumsOverPositions = false;  ///< Before queries meet the context.
  int stride = 1;

  at::Tensor inputOf(std::int64_t batch, at::ScalarType type) const {
    return at::randn({batch, input.channels, input.height, input.width}, type);
  }
};

inline NaiveMap naiveMapOf(const at::Tensor& map) {
  return {static_cast<int>(map.size(0)),
          static_cast<int>(map.size(1)),
          static_cast<int>(map.size(2)),
          static_cast<int>(map.size(3)),
          numbersOf(map)};
}

inline at::Tensor tensorOf(const NaiveMap& map) {
  return at::tensor(map.values, at::kDouble).view({map.batch, map.channels, map.height, map.width});
}

inline NaiveProjections projectionsOf(const AttentionModule& layer) {
  return {numbersOf(layer.queries->weight),
          numbersOf(layer.keys->weight),
          numbersOf(layer.values->weight),
          static_cast<int>(layer.options.outputDepth),
          layer.options.heads};
}

inline std::vector<double> numbersOfTable(const at::Tensor& table) {
  return table.defined() ? numbersOf(table) : std::vector<double>{};
}

inline AttentionOptions attentionOptions(const MapShape& input, int depth, int heads) {
  return {input.channels, depth, heads, input.height, input.width};
}

/// The subject of a layer that has forward() and weights().
template <class Layer, class Naive>
LayerSubject subjectOf(Layer layer, Naive naive) {
  return {layer.ptr(),
          [layer](const at::Tensor& x) mutable { return layer(x); },
          [layer](const at::Tensor& x) mutable { return layer->weights(x); },
          [layer, naive](const NaiveMap& x) { return naive(*layer, x); }};
}

inline LayerTestCase selfAttentionCase(
    std::string name, MapShape input, int depth, int heads, bool relative, bool causal = false) {
  return {std::move(name), input, depth, [=] {
            return subjectOf(SelfAttention(attentionOptions(input, depth, heads), relative, causal),
                             [](const SelfAttentionImpl& layer, const NaiveMap& x) {
                               return naiveSelfAttention(x,
                                                         projectionsOf(layer),
                                                         numbersOfTable(layer.rowTable),
                                                         numbersOfTable(layer.columnTable),
                                                         layer.causal);
                             });
          }};
}

inline LayerTestCase localAttentionCase(
    std::string name, MapShape input, int depth, int heads, int scope, bool sumsWindows) {
  return {std::move(name), input, depth, [=] {
            LocalAttention layer(attentionOptions(input, depth, heads), scope);
            layer->sumsWindows = sumsWindows;
            return subjectOf(layer, [](const LocalAttentionImpl& local, const NaiveMap& x) {
              return naiveLocalAttention(x,
                                         projectionsOf(local),
                                         local.scope,
                                         numbersOf(local.rowTable),
                                         numbersOf(local.columnTable));
            });
          }};
}

inline LayerTestCase axialAttentionCase(
    std::string name, MapShape input, int depth, int heads, bool relative) {
  return {std::move(name), input, depth, [=] {
            return subjectOf(
                AxialAttention(attentionOptions(input, depth, heads), relative),
                [](const AxialAttentionImpl& layer, const NaiveMap& x) {
                  const NaiveResult rows = naiveLineAttention(
                      x, projectionsOf(*layer.rows), true, numbersOfTable(layer.rows->table));
                  NaiveResult columns = naiveLineAttention(rows.output,
                                                           projectionsOf(*layer.columns),
                                                           false,
                                                           numbersOfTable(layer.columns->table));
                  // The product of the two matrices of each image and head.
                  const int n = x.positions();
                  std::vector<double> joint(columns.weights.size(), 0.0);
                  for (std::size_t pair = 0; pair < joint.size(); ++pair) {
                    const std::size_t positions = static_cast<std::size_t>(n);
                    const std::size_t matrix =
                        pair / (positions * positions) * positions * positions;
                    const std::size_t from = pair / positions % positions, to = pair % positions;
                    for (std::size_t j = 0; j < positions; ++j) {
                      joint[pair] += columns.weights[matrix + from * positions + j] *
                                     rows.weights[matrix + j * positions + to];
                    }
                  }
                  columns.weights = std::move(joint);
                  return columns;
                });
          }};
}

inline LayerTestCase linearAttentionCase(std::string name,
                                         MapShape input,
                                         int depth,
                                         int heads,
                                         FeatureMap featureMap,
                                         bool causal = false) {
  LayerTestCase made{
      std::move(name), input, depth, [=] {
        return subjectOf(
            LinearAttention(attentionOptions(input, depth, heads), featureMap, causal),
            [](const LinearAttentionImpl& layer, const NaiveMap& x) {
              return naiveLinearAttention(
                  x, projectionsOf(layer), layer.featureMap == FeatureMap::softmax, layer.causal);
            });
      }};
  made.sumsOverPositions = true;
  return made;
}

inline LayerTestCase nonLocalCase(std::string name,
                                  MapShape input,
                                  int depth,
                                  PairwiseFunction pairwise) {
  LayerTestCase made{std::move(name), input, depth, [=] {
                       return subjectOf(NonLocal(input.channels, depth, pairwise),
                                        [](const NonLocalImpl& layer, const NaiveMap& x) {
                                          const NaiveProjections projections{
                                              numbersOf(layer.queries->weight),
                                              numbersOf(layer.keys->weight),
                                              numbersOf(layer.values->weight),
                                              static_cast<int>(layer.queries->weight.size(0)),
                                              1};
                                          return naiveNonLocal(
                                              x,
                                              projections,
                                              numbersOf(layer.output->weight),
                                              static_cast<int>(layer.outputDepth),
                                              layer.pairwise == PairwiseFunction::embeddedGaussian);
                                        });
                     }};
  made.sumsToOne = pairwise == PairwiseFunction::embeddedGaussian;
  made.fitsAnyMap = true;
  return made;
}

/// The 1x1 convolution that ends a gated layer where its depths differ.
inline NaiveMap naivePointwise(const NaiveMap& x, const torch::nn::Conv2d& pointwise) {
  if (pointwise.is_empty()) return x;
  return naiveConvolution(x,
                          numbersOf(pointwise->weight),
                          static_cast<int>(pointwise->weight.size(0)),
                          /*kernelSize=*/1,
                          /*stride=*/1,
                          /*groups=*/1);
}

inline LayerTestCase channelAttentionCase(std::string name, MapShape input, int depth, int ratio) {
  LayerTestCase made{std::move(name), input, depth, [=] {
                       ChannelAttention layer(input.channels, depth, ratio);
                       return LayerSubject{
                           layer.ptr(),
                           [layer](const at::Tensor& x) mutable { return layer(x); },
                           nullptr,
                           [layer](const NaiveMap& x) {
                             const NaiveMap y =
                                 naiveChannelAttention(x,
                                                       numbersOf(layer->gate->squeeze->weight),
                                                       numbersOf(layer->gate->squeeze->bias),
                                                       numbersOf(layer->gate->excite->weight),
                                                       numbersOf(layer->gate->excite->bias));
                             return NaiveResult{naivePointwise(y, layer->pointwise), {}};
                           }};
                     }};
  made.fitsAnyMap = true;
  return made;
}

inline LayerTestCase spatialAttentionCase(std::string name,
                                          MapShape input,
                                          int depth,
                                          int kernelSize) {
  LayerTestCase made{
      std::move(name), input, depth, [=] {
        SpatialAttention layer(input.channels, depth, kernelSize);
        return LayerSubject{
            layer.ptr(),
            [layer](const at::Tensor& x) mutable { return layer(x); },
            nullptr,
            [layer, kernelSize](const NaiveMap& x) {
              const NaiveMap y = naiveSpatialAttention(
                  x, numbersOf(layer->gate->weight), numbersOf(layer->gate->bias)[0], kernelSize);
              return NaiveResult{naivePointwise(y, layer->pointwise), {}};
            }};
      }};
  made.fitsAnyMap = true;
  return made;
}

inline LayerTestCase convolutionCase(
    std::string name, MapShape input, int depth, ConvolutionMixer mixer, int stride) {
  LayerTestCase made{
      std::move(name), input, depth, [=] {
        PlacedMixer place;
        place.input = input;
        place.output.channels = depth;
        place.stride = stride;
        auto unit = std::make_shared<RoledModule>();
        const MapFunction convolution = addMixer(*unit, mixer, place, nullptr);
        return LayerSubject{
            unit, convolution, nullptr, [unit, mixer, depth, stride](const NaiveMap& x) {
              const at::Tensor weight = unit->named_parameters()["conv.weight"];
              return NaiveResult{
                  naiveConvolution(
                      x, numbersOf(weight), depth, mixer.kernelSize, stride, mixer.groups),
                  {}};
            }};
      }};
  made.fitsAnyMap = true;
  made.stride = stride;
  return made;
}

/// Every option of the relatives of the lambda layer, and the combinations that use other branches
/// of their code, on maps that are not square.
inline std::vector<LayerTestCase> attentionCases() {
  using enum FeatureMap;
  using enum PairwiseFunction;
  return {
      selfAttentionCase("self-attention", {5, 3, 4}, 8, 2, true),
      selfAttentionCase("self-attention, content only", {5, 3, 4}, 8, 2, false),
      selfAttentionCase("self-attention, one head", {6, 4, 3}, 3, 1, true),
      selfAttentionCase("self-attention, a head for each channel", {4, 3, 3}, 6, 6, true),
      selfAttentionCase("self-attention, one row", {5, 1, 6}, 4, 2, true),
      selfAttentionCase("self-attention, one position", {5, 1, 1}, 4, 2, true),
      selfAttentionCase("self-attention, causal", {5, 3, 4}, 8, 2, true, true),
      selfAttentionCase("self-attention, causal, content only", {5, 1, 7}, 6, 3, false, true),
      localAttentionCase("local attention, windows", {5, 5, 4}, 8, 2, 3, true),
      localAttentionCase("local attention, dense", {5, 5, 4}, 8, 2, 3, false),
      localAttentionCase("local attention, wide windows", {5, 4, 6}, 8, 4, 5, true),
      localAttentionCase("local attention, windows of one position", {4, 3, 4}, 4, 1, 1, true),
      localAttentionCase("local attention, windows beyond the map", {4, 3, 2}, 4, 2, 7, true),
      localAttentionCase("local attention, dense beyond the map", {4, 3, 2}, 4, 2, 7, false),
      localAttentionCase("local attention, one column", {5, 6, 1}, 4, 1, 3, true),
      axialAttentionCase("axial attention", {5, 3, 4}, 8, 2, true),
      axialAttentionCase("axial attention, content only", {5, 4, 3}, 8, 2, false),
      axialAttentionCase("axial attention, one column", {5, 4, 1}, 6, 3, true),
      linearAttentionCase("linear attention, softmax", {5, 3, 4}, 8, 2, softmax),
      linearAttentionCase("linear attention, elu", {5, 3, 4}, 8, 2, elu),
      linearAttentionCase("linear attention, a head for each channel", {4, 2, 3}, 6, 6, elu),
      linearAttentionCase("linear attention, causal softmax", {5, 3, 4}, 8, 2, softmax, true),
      linearAttentionCase("linear attention, causal elu", {5, 3, 4}, 8, 2, elu, true),
      linearAttentionCase(
          "linear attention, causal softmax, one row", {5, 1, 7}, 9, 3, softmax, true),
      linearAttentionCase("linear attention, causal elu, one row", {4, 1, 13}, 5, 1, elu, true),
      linearAttentionCase("linear attention, causal, one position", {4, 1, 1}, 6, 2, softmax, true),
      nonLocalCase("non-local", {6, 3, 4}, 6, embeddedGaussian),
      nonLocalCase("non-local, other depth", {5, 3, 4}, 8, embeddedGaussian),
      nonLocalCase("non-local, dot product", {6, 4, 3}, 6, dotProduct),
      nonLocalCase("non-local, one channel", {1, 3, 4}, 1, dotProduct),
      channelAttentionCase("channel attention", {9, 4, 5}, 9, 4),
      channelAttentionCase("channel attention, other depth", {6, 3, 4}, 8, 2),
      spatialAttentionCase("spatial attention", {5, 6, 5}, 5, 3),
      spatialAttentionCase("spatial attention beyond the map", {5, 3, 4}, 5, 7),
      spatialAttentionCase("spatial attention, other depth", {4, 3, 4}, 7, 3),
      convolutionCase("grouped convolution", {6, 5, 4}, 8, {3, 2}, 1),
      convolutionCase("grouped convolution, stride 2", {6, 5, 4}, 9, {5, 3}, 2),
      convolutionCase("grouped convolution of each channel", {4, 5, 4}, 4, {3, 4}, 1),
  };
}

}  // namespace lambda::test
