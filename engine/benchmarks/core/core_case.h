#pragma once

#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// A lambda core on a square map with relative embeddings, content and intra-depth 1.
struct CoreCase {
  int side = 8;          ///< Side of the map: n = m = side^2.
  int outputDepth = 64;  ///< d = h v
  int scope = 0;         ///< r: side of the local window; 0 = global.
  int queryDepth = 16;   ///< k
  int heads = 4;         ///< h

  int positions() const { return side * side; }

  int valueDepth() const { return outputDepth / heads; }

  /// Number of images of a batch of `batch` that the case is timed with: a quarter on maps beyond
  /// 16x16, where forms that keep all scores would need gigabytes.
  int imagesOf(int batch) const;

  /// For example "8x8 d=64" or "32x32 d=64 r=7".
  std::string name() const;
};

/// The least cost of a pass for a batch. FLOPs are two per multiply-add of the queries-first order,
/// the cheapest for these sizes; a backward pass has twice those of a forward pass, without any
/// recomputation. Bytes are those of inputs and outputs, once; embeddings are in float32.
struct CoreCost {
  double flops = 0;
  double bytes = 0;
};

enum class CorePass { forward, backward, both };

CoreCost costOf(const CoreCase& shape,
                int batch,
                CorePass pass,
                Precision precision = Precision::float32);

/// Number of pairs of a query and a context position: n m, or fewer with a window.
double pairsOf(const CoreCase& shape);

/// The stages of ResNet-50 in the geometry of the published reproduction on CIFAR-10 (8x8 to 1x1),
/// and the larger maps that follow a CIFAR stem.
std::vector<CoreCase> standardCoreCases();

}  // namespace lambda
