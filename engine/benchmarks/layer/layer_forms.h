#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/benchmarks/core/core_forms.h"
#include "engine/benchmarks/layer/layer_benchmark.h"
#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/roled_module.h"

namespace lambda {

/// The weights of a lambda layer for plain ATen, as leaves of autograd.
struct LayerWeights {
  at::Tensor queries, keys, values;   ///< Weights of the 1x1 projections.
  at::Tensor queryScale, queryShift;  ///< Parameters of the norms.
  at::Tensor valueScale, valueShift;
  CoreEmbeddings embeddings;
};

/// A layer on a map, which computes y [b, d, H', W'] from x [b, d, H, W].
struct LayerForm {
  std::string name;
  std::function<at::Tensor(const at::Tensor& x)> apply;
  std::vector<at::Tensor> parameters;
  /// Set if the last parameter is the expanded form of these embeddings instead of their table.
  std::optional<CoreEmbeddings> expanded = std::nullopt;
};

/// The module's weights in another type.
LayerWeights weightsOf(LambdaLayer layer, at::ScalarType type);

/// The lambda layer in plain ATen, in training mode: projections, norms, softmax, `core`, and the
/// pooling that replaces a stride.
LayerForm plainLayer(const LayerCase& shape, const LayerWeights& weights, const CoreForm& core);

/// The lambda layer of the engine, with the same pooling.
LayerForm engineLayer(const LayerCase& shape, LambdaLayer layer);

/// The 3x3 convolution that the layer replaces, as the engine computes it.
LayerForm convolutionLayer(torch::nn::Conv2d convolution);

/// The same convolution with LibTorch only.
LayerForm plainConvolution(const LayerCase& shape, const at::Tensor& weight);

/// Another kind of mixer in the place of the lambda layer.
struct MixerLayer {
  std::shared_ptr<RoledModule> module;
  LayerForm form;
};

/// The mixer as the engine computes it, with the same pooling and without a norm after it.
MixerLayer mixerLayer(const LayerCase& shape, const std::string& name, const Mixer& mixer);

/// y, pooled if the case has a stride.
at::Tensor pooled(const LayerCase& shape, const at::Tensor& y);

/// The gradients of all parameters, and of x.
std::vector<at::Tensor> gradientsOf(const LayerForm& form,
                                    const at::Tensor& y,
                                    const at::Tensor& x,
                                    const at::Tensor& dy);

/// The output and its gradients with respect to all parameters and x. For the embeddings it is the
/// gradient of their table.
std::vector<at::Tensor> outcomesOf(const LayerForm& form,
                                   const at::Tensor& x,
                                   const at::Tensor& dy);

}  // namespace lambda
