#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/images/array.h"

namespace lambda {

/// What the probe of an epoch stored of one lambda layer, for the first validation image and the
/// middle pixel of the layer's map. Shapes as in InspectionSnapshot. An array is empty where the
/// layer lacks that part or an older version wrote the file.
struct ProbeLayer {
  std::string name;                  ///< "stage3.block2.mixer"
  Array lambdaContent = {};          ///< [k, v]
  Array lambdaPosition = {};         ///< [k, v]
  Array contributionsContent = {};   ///< [h, u, H, W]
  Array contributionsPosition = {};  ///< [h, u, H, W]
  Array contributionsTotal = {};     ///< [h, 1, H, W] of a layer without these parts: attention.
  Array embeddings = {};             ///< Tiles [k, u, rows, columns].
  Array embeddingChange = {};        ///< The same minus the tables before the first step.
  Array singularContent = {};        ///< As InspectionSnapshot::singularValues.
  Array singularPosition = {};
  Array singularTotal = {};
  Array patterns = {};        ///< PrincipalPatterns of the embeddings [count, rows, columns],
  Array patternShares = {};   ///< [count],
  Array changePatterns = {};  ///< and of their change.
  Array changePatternShares = {};

  bool operator==(const ProbeLayer&) const = default;
};

/// What a run stored of its lambda layers after an epoch; epoch 0 = before the first step.
struct ProbeSnapshot {
  int epoch = 0;
  std::int64_t step = 0;
  std::vector<float> probabilities =
      {};  ///< Class probabilities of the probed image; empty in older files.
  std::vector<ProbeLayer> layers = {};  ///< In network order.

  bool operator==(const ProbeSnapshot&) const = default;
};

}  // namespace lambda
