#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/values/architecture/operations.h"

namespace lambda {

inline constexpr double kFloatBytes = 4;

/// Caps counts at 2^53: a valid configuration may describe a network that no machine can hold.
long long countOf(double value);

/// Collects the operations of a network in the order of its computation.
class OperationList {
 public:
  /// The operations that follow belong to this layer.
  void beginLayer(OperatedLayer layer);

  /// The current layer's index, for resumeLayer().
  int currentLayer() const { return layer_; }

  /// The operations that follow belong to an earlier layer again.
  void resumeLayer(int layer) { layer_ = layer; }

  /// Adds an operation to the current layer and returns its index.
  int add(Operation operation);

  /// A linear map of each window of kernel x kernel positions, without bias, which keeps its
  /// result. `groups` = input channels for a depthwise convolution.
  int addConvolution(
      int input, int inputChannels, int kernel, const MapShape& output, int groups = 1);

  /// `kept`: the map that is kept for the backward pass.
  int addNorm(int input, const MapShape& map, const MapShape& kept);

  int addActivation(int input, const MapShape& map, const MapShape& kept);

  /// Squeeze-and-excitation over a map's channels.
  int addSqueezeExcitation(int input, const MapShape& map, int ratio);

  /// Whether the table of that name is met for the first time; each layer without a name has its
  /// own.
  bool isFirstUse(const std::string& sharedEmbeddings);

  NetworkOperations take() { return std::move(network_); }

 private:
  NetworkOperations network_;
  int layer_ = 0;
  std::set<std::string> sharedNames_;
};

/// A map's sizes in the order in which they are shown: height, width, channels.
std::vector<long long> sizesOf(const MapShape& map);

}  // namespace lambda
