#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/values/architecture/graph.h"

namespace lambda {

/// Adds nodes to a graph. The functions return the last one's index.
class GraphBuilder {
 public:
  /// `vocabulary`: the tokens that an embedding knows.
  GraphBuilder(const MapShape& image, Activation activation, int vocabulary)
      : activation_(activation), vocabulary_(vocabulary) {
    graph.image = image;
  }

  /// The nodes that follow belong to a block; -1 and -1 for the stem and the head.
  void enter(int stage, int block) {
    stage_ = stage;
    block_ = block;
  }

  int stage() const { return stage_; }

  int block() const { return block_; }

  int add(const std::string& layer, NodeKind kind, std::vector<int> inputs, const MapShape& output);

  int addActivation(const std::string& layer, int input);

  /// Convolution and norm.
  int addConvolution(const std::string& layer,
                     int input,
                     int channels,
                     const ConvolutionNode& convolution,
                     const NormNode& norm = {});

  /// Convolution, norm and activation.
  int addUnit(const std::string& layer,
              int input,
              int channels,
              const ConvolutionNode& convolution) {
    return addActivation(layer, addConvolution(layer, input, channels, convolution));
  }

  /// Embedding and layer norm of the tokens.
  int addEmbedding(const std::string& layer, int channels);

  int addLayerNorm(const std::string& layer, int input);

  int addPool(const std::string& layer, int input, const PoolNode& pool);

  NetworkGraph graph;

 private:
  Activation activation_;
  int vocabulary_;
  int stage_ = -1;
  int block_ = -1;
};

/// A map after a stride of 2.
MapShape halved(const MapShape& map);

}  // namespace lambda
