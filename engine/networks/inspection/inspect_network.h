#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/layers/attention/attention_terms.h"
#include "engine/networks/inspection/lambda_arithmetic.h"
#include "engine/networks/network.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Tables of position embeddings by the name of their parameter, such as
/// "stage3.block1.mixer.layer.embedding.table". Layers that share embeddings share an entry.
using EmbeddingTables = std::map<std::string, at::Tensor>;

/// Copies of a network's position embeddings on the CPU, for example those before the first step.
EmbeddingTables embeddingTablesOf(const Network& network);

/// What the caller knows about the image and the weights.
struct InspectionContext {
  Image image = {};  ///< The image as it is shown to the user.
  int label = -1;
  std::vector<std::string> classNames = {};
  std::vector<NumberScale> numbers = {};  ///< Of a regression: what its outputs mean.
  std::vector<float> trueNumbers = {};    ///< Of the image; empty = not known.
  std::int64_t step = 0;
  int epoch = 0;
  InspectedWeights weights = InspectedWeights::live;
  const EmbeddingTables* initialEmbeddings = nullptr;  ///< Null or no entry = not known.
};

/// One layer of a network with one image. Computes once what is the same for every query
/// pixel. It is valid as long as the network's weights do not change.
class LayerView {
 public:
  /// `image`: normalised, [channels, height, width] or [1, channels, height, width]. `layer`: as in
  /// InspectionRequest. Runs in eval mode and float32, and leaves modes, gradients, running
  /// statistics and random numbers unchanged. Throws Error for an unknown layer, an image of
  /// another size, and values that are not finite with this image.
  LayerView(Network& network, const at::Tensor& image, const std::string& layer);

  const InspectableLayer& layer() const { return layer_; }

  /// What the layer computes at the pixel of the request, as a snapshot that shares no memory with
  /// the network. Throws Error for a pixel that is not on the layer's map.
  InspectionSnapshot at(const InspectionRequest& request, const InspectionContext& context);

 private:
  void readOperands(const MixerUnit& unit, const at::Tensor& input);

  Network network_;
  InspectableLayer layer_;
  LambdaLayer lambda_{nullptr};                ///< Null where the layer has no lambdas.
  LayerOperands operands_;                     ///< Empty where the layer has no lambdas.
  std::shared_ptr<ShowsAttention> attention_;  ///< Null in a lambda layer.
  at::Tensor input_;                           ///< Of the attention.
  std::vector<float> outputs_;                 ///< [outputs]
  std::vector<float> probabilities_;           ///< [outputs]; none of a regression.
  int predicted_ = 0;
};

/// Inspects one layer of a network with one image; see LayerView, also for errors.
InspectionSnapshot inspectNetwork(Network& network,
                                  const at::Tensor& image,
                                  const InspectionRequest& request,
                                  const InspectionContext& context);

}  // namespace lambda
