#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/inspection/lambda_arithmetic.h"
#include "engine/networks/network.h"
#include "engine/values/inspection.h"

namespace lambda {

/// Position embeddings by the name of their parameter, "stage3.block1.mixer.layer.embedding.table":
/// [rows, u, k] each. Layers that share embeddings share an entry.
using EmbeddingTables = std::map<std::string, at::Tensor>;

/// Copies of a network's position embeddings, to be kept from before the first step.
EmbeddingTables embeddingTablesOf(const Network& network);

/// What the caller knows of the image and the weights.
struct InspectionContext {
  Image image = {};  ///< The image as a person sees it.
  int label = -1;
  std::vector<std::string> classNames = {};
  std::int64_t step = 0;
  int epoch = 0;
  InspectedWeights weights = InspectedWeights::live;
  const EmbeddingTables* initialEmbeddings = nullptr;  ///< Null = not known; so is a missing entry.
};

/// One lambda layer of a network and one image: what is the same for every query pixel, computed
/// once. It holds as long as the network's weights stay as they are.
class LayerView {
 public:
  /// `image`: normalised, [channels, height, width] or with a leading 1. `layer` as in a request.
  /// Runs in eval mode and float32, and leaves modes, gradients, running statistics and random
  /// numbers as they are. Throws Error for a layer that is not there, an image of another size, and
  /// a network that overflows with it.
  LayerView(Network& network, const at::Tensor& image, const std::string& layer);

  const InspectableLayer& layer() const { return layer_; }

  /// What the layer does at the request's pixel; shares nothing with the network. Throws Error for
  /// a pixel that is not on the layer's map.
  InspectionSnapshot at(const InspectionRequest& request, const InspectionContext& context);

 private:
  Network network_;
  InspectableLayer layer_;
  LambdaLayer lambda_{nullptr};
  LayerOperands operands_;
  std::vector<float> probabilities_;
  int predicted_ = 0;
};

/// Looks into one lambda layer of a network with one image, see LayerView.
InspectionSnapshot inspectNetwork(Network& network,
                                  const at::Tensor& image,
                                  const InspectionRequest& request,
                                  const InspectionContext& context);

}  // namespace lambda
