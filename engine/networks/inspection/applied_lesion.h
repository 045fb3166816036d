#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/networks/network.h"
#include "engine/values/inspection/lesion.h"

namespace lambda {

/// Cuts a part out of one lambda layer for a scope, for inference. It changes no weights: the layer
/// has no keys, no embeddings, a copy of them with zeros, or a mask on its queries meanwhile, and
/// at the end of the scope, also by an exception, it has its own again. Cuts of the same layer may
/// be nested.
class CutLayer {
 public:
  /// The layer must have the part, see cuts().
  CutLayer(LambdaLayer layer, const Lesion& lesion);
  ~CutLayer();
  CutLayer(const CutLayer&) = delete;
  CutLayer& operator=(const CutLayer&) = delete;

 private:
  void leaveOut(LesionPart part);
  void addToCutQueries(const at::Tensor& channels);

  LambdaLayer layer_;
  // What the layer has without the cut.
  LambdaMixer mixer_;
  torch::nn::Conv2d keys_;
  PositionEmbeddingTable embedding_;
  at::Tensor cutQueries_;
};

/// Applies a lesion to an open network for a scope, in which this thread records no gradients.
class AppliedLesion {
 public:
  /// Throws Error if no lambda layer that the lesion names has the part.
  AppliedLesion(const Network& network, const Lesion& lesion);

 private:
  at::NoGradGuard noGradient_;
  std::deque<CutLayer> layers_;
};

/// The lesions of one lambda layer, "stage3.block2.mixer" or "stage3.block2", or for an empty name
/// of all of them together: content, position, scopes from 31 down to 3, every head and every row.
/// Throws Error for another layer, and if the network has no lambda layer.
std::vector<Lesion> lesionsOf(const Network& network, const std::string& layer);

}  // namespace lambda
