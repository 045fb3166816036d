#include "engine/values/architecture/operation_list.h"

#include <algorithm>
#include <utility>

namespace lambda {

long long countOf(double value) {
  return static_cast<long long>(std::min(value, 0x1p53));
}

std::vector<long long> sizesOf(const MapShape& map) {
  return {map.height, map.width, map.channels};
}

void OperationList::beginLayer(OperatedLayer layer) {
  network_.layers.push_back(std::move(layer));
  layer_ = static_cast<int>(network_.layers.size()) - 1;
}

int OperationList::add(Operation operation) {
  operation.layer = layer_;
  network_.operations.push_back(std::move(operation));
  return static_cast<int>(network_.operations.size()) - 1;
}

int OperationList::addConvolution(
    int input, int inputChannels, int kernel, const MapShape& output, int groups) {
  const double weights =
      static_cast<double>(inputChannels) / groups * output.channels * kernel * kernel;
  const bool isDepthwise = groups > 1 && groups == inputChannels && groups == output.channels;
  const bool isGrouped = groups > 1;
  const std::string side = std::to_string(kernel) + "×" + std::to_string(kernel);
  Operation operation;
  operation.name = side + (isDepthwise ? " depthwise" : isGrouped ? " grouped" : " convolution");
  if (isDepthwise) {
    operation.equation = "y_{nc} = Σ_δ w_{δc} x_{n+δ,c}";
    operation.meaning =
        "Every channel is summed over its neighbours with its own weights; no channel sees "
        "another.";
  } else if (isGrouped) {
    operation.equation = "y_{ng} = Σ_δ W_{δg} x_{n+δ,g}";
    operation.meaning = "Every group of channels is convolved by itself; no group sees another.";
  } else if (kernel == 1) {
    operation.equation = "y_n = W x_n";
    operation.meaning =
        "Mixes the channels of each position with one matrix; positions stay apart.";
  } else {
    operation.equation = "y_n = Σ_δ W_δ x_{n+δ}";
    operation.meaning =
        "Every position sums its neighbours with weights that are the same everywhere and for "
        "every "
        "image.";
  }
  operation.axes = "H×W×C";
  operation.output = sizesOf(output);
  operation.inputs = {input};
  operation.parameters = countOf(weights);
  operation.flops = countOf(2 * weights * static_cast<double>(output.positions()));
  operation.activationBytes = countOf(kFloatBytes * static_cast<double>(output.elements()));
  return add(std::move(operation));
}

int OperationList::addNorm(int input, const MapShape& map, const MapShape& kept) {
  return add({.name = std::string(kBatchNorm),
              .equation = "y = γ (x − μ) / σ + β",
              .meaning =
                  "Gives every channel a learned mean and scale, which keeps the training of "
                  "deep networks stable.",
              .axes = "H×W×C",
              .output = sizesOf(map),
              .inputs = {input},
              .parameters = 2LL * map.channels,
              .activationBytes = countOf(kFloatBytes * static_cast<double>(kept.elements()))});
}

int OperationList::addActivation(int input, const MapShape& map, const MapShape& kept) {
  return add(
      {.name = "activation",
       .equation = "y = φ(x)",
       .meaning = "The nonlinearity, without which successive layers would be one linear map.",
       .axes = "H×W×C",
       .output = sizesOf(map),
       .inputs = {input},
       .activationBytes = countOf(kFloatBytes * static_cast<double>(kept.elements()))});
}

int OperationList::addSqueezeExcitation(int input, const MapShape& map, int ratio) {
  const long long channels = map.channels;
  const long long squeezed = squeezedChannels(map.channels, ratio);
  const int means = add({.name = "squeeze",
                         .equation = "z_c = mean_n x_{nc}",
                         .meaning = "One number for each channel: its mean over the map.",
                         .axes = "C",
                         .output = {channels},
                         .inputs = {input}});
  const int narrow = add({.name = "reduce channels",
                          .equation = "s = ReLU(W_1 z + b_1)",
                          .meaning = "A small layer over fewer channels.",
                          .axes = "C/r",
                          .output = {squeezed},
                          .inputs = {means},
                          .parameters = squeezed * channels + squeezed,
                          .flops = 2 * squeezed * channels});
  const int gates = add({.name = "excite",
                         .equation = "g = sigmoid(W_2 s + b_2)",
                         .meaning = "A factor between 0 and 1 for every channel.",
                         .axes = "C",
                         .output = {channels},
                         .inputs = {narrow},
                         .parameters = squeezed * channels + channels,
                         .flops = 2 * squeezed * channels});
  return add({.name = "scale channels",
              .equation = "y_{nc} = g_c x_{nc}",
              .meaning = "Strengthens the channels that matter for this image and weakens "
                         "the others.",
              .axes = "H×W×C",
              .output = sizesOf(map),
              .inputs = {input, gates},
              .activationBytes = countOf(kFloatBytes * static_cast<double>(map.elements()))});
}

bool OperationList::isFirstUse(const std::string& sharedEmbeddings) {
  return sharedEmbeddings.empty() || sharedNames_.insert(sharedEmbeddings).second;
}

}  // namespace lambda
