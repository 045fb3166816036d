#include "engine/values/architecture/stem.h"

#include <algorithm>

#include "engine/values/architecture/graph_builder.h"

namespace lambda {

namespace {

/// The first convolution of a stem, with square windows of an odd side.
ConvolutionNode firstConvolution(const Stem& stem, int kernel, int stride) {
  return {.kernel = kernel,
          .stride = stride,
          .padding = kernel / 2,
          .role = ParameterRole::input,
          .fixedFilters = stem.whitened};
}

int addStem(GraphBuilder& graph, const Stem& stem, const CifarStem& /*kind*/) {
  return graph.addUnit("stem", kImageInput, stem.width, firstConvolution(stem, 3, 1));
}

int addStem(GraphBuilder& graph, const Stem& stem, const ImageNetStem& /*kind*/) {
  const int last = graph.addUnit("stem", kImageInput, stem.width, firstConvolution(stem, 7, 2));
  return graph.addPool("stem", last, {Pooling::max, 3});
}

/// The three convolutions with which the stems of ResNet-D and ResNet-RS begin.
int addThreeConvolutions(GraphBuilder& graph, const Stem& stem) {
  const ConvolutionNode next{.kernel = 3, .padding = 1};
  const int narrow = std::max(1, stem.width / 2);
  int last = graph.addUnit("stem.conv1", kImageInput, narrow, firstConvolution(stem, 3, 2));
  last = graph.addUnit("stem.conv2", last, narrow, next);
  return graph.addUnit("stem.conv3", last, stem.width, next);
}

int addStem(GraphBuilder& graph, const Stem& stem, const ResNetDStem& /*kind*/) {
  return graph.addPool("stem.conv3", addThreeConvolutions(graph, stem), {Pooling::max, 3});
}

int addStem(GraphBuilder& graph, const Stem& stem, const ResNetRsStem& /*kind*/) {
  const int last = addThreeConvolutions(graph, stem);
  return graph.addUnit("stem.conv4", last, stem.width, {.kernel = 3, .stride = 2, .padding = 1});
}

int addStem(GraphBuilder& graph, const Stem& stem, const PatchStem& kind) {
  const int side = std::max(1, kind.patchSize);
  ConvolutionNode patches = firstConvolution(stem, side, side);
  patches.padding = 0;
  return graph.addUnit("stem", kImageInput, stem.width, patches);
}

int addStem(GraphBuilder& graph, const Stem& stem, const StridedStem& /*kind*/) {
  return graph.addUnit("stem", kImageInput, stem.width, firstConvolution(stem, 3, 2));
}

int addStem(GraphBuilder& graph, const Stem& stem, const EmbeddingStem& /*kind*/) {
  return graph.addEmbedding("stem", stem.width);
}

}  // namespace

int addStem(GraphBuilder& graph, const Stem& stem) {
  return std::visit([&](const auto& kind) { return addStem(graph, stem, kind); }, stem.kind);
}

}  // namespace lambda
