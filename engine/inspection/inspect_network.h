#pragma once

#include <map>
#include <string>
#include <vector>

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
  const EmbeddingTables* initialEmbeddings = nullptr;  ///< Null = not known; so is a missing entry.
};

/// Looks into one lambda layer of a network with one image, normalised, [channels, height, width]
/// or with a leading 1. Runs in eval mode and float32, leaves modes, gradients, running statistics
/// and random numbers as they are, and shares nothing with the network afterwards.
/// Throws Error for a layer or a pixel that is not there, or an image of another size.
InspectionSnapshot inspectNetwork(Network& network,
                                  const at::Tensor& image,
                                  const InspectionRequest& request,
                                  const InspectionContext& context);

}  // namespace lambda
