#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/images/array.h"
#include "engine/values/images/image.h"

namespace lambda {

enum class Split { train, validation, test };

template <>
inline constexpr EnumNames<3> kNamesOf<Split>{{"train", "validation", "test"}};

/// Whose weights an inspection shows.
enum class InspectedWeights {
  live,      ///< The network that is being trained, between two steps.
  stored,    ///< The weights of a checkpoint, as its last step left them.
  averaged,  ///< A checkpoint's moving average, by which the run is scored.
};

template <>
inline constexpr EnumNames<3> kNamesOf<InspectedWeights>{{"live", "stored", "averaged"}};

/// A layer that can be inspected. The letters are the paper's. For attention, k and v are both the
/// depth of a head, and u is 1.
struct InspectableLayer {
  std::string name;                               ///< "stage3.block2.mixer", as in the cost table.
  std::size_t kind = mixerKindOf<LambdaMixer>();  ///< An index of kMixerTraits.
  int queryDepth = 0;                             ///< k
  int heads = 0;                                  ///< h
  /// Lambdas of one position: 1, or h in a multi-head layer. They are shown below each other as one
  /// matrix, to which a head brings a query that is 0 in the rows of the others.
  int lambdas = 1;
  int intraDepth = 0;  ///< u
  int valueDepth = 0;  ///< v: columns of the lambda matrix, d / h.
  int height = 0;      ///< Size of the map whose pixels are its queries and its context.
  int width = 0;
  int scope = 0;  ///< r; 0 = global.
  PositionEmbedding embedding = PositionEmbedding::none;
  bool content = true;

  /// Rows of the matrix of all lambdas of a position.
  int lambdaRows() const { return lambdas * queryDepth; }

  bool operator==(const InspectableLayer&) const = default;
};

/// What an inspection shows of the layer.
inline InspectedAs inspectedAs(const InspectableLayer& layer) {
  return kMixerTraits[layer.kind].inspectedAs;
}

/// Whether a layer, "stage3.block2.mixer", is the one that is asked for: by its name or by that of
/// its block, "stage3.block2".
inline bool isNamed(const std::string& layer, const std::string& asked) {
  return layer == asked || layer == asked + ".mixer";
}

/// The layers of a network that can be inspected, in network order, from its description alone.
/// Where a token is no pixel (TokenOrder::channelRuns), no pixel has a contribution: such layers
/// are left out.
std::vector<InspectableLayer> inspectableLayers(const Architecture& architecture);

/// Which layer to inspect, with which image, at which pixel.
struct InspectionRequest {
  std::uint64_t id = 0;    ///< Copied to the snapshot, to recognise the answer to an older request.
  std::string layer = {};  ///< "stage3.block2.mixer" or "stage3.block2"; empty = the first one.
  Split split = Split::validation;
  int image = 0;      ///< Index within the split.
  int queryRow = -1;  ///< Pixel of the layer's map; -1 = the middle.
  int queryColumn = -1;
  /// The user's own picture instead of `split` and `image`, of exactly the size of the network's
  /// input. It is normalised as the run's images are; its label is not known.
  std::optional<Image> picture = std::nullopt;
  /// Whether to compute the principal patterns of the position embeddings: two singular value
  /// decompositions, for which a training would wait.
  bool withPatterns = false;

  bool operator==(const InspectionRequest&) const = default;
};

/// A number that a network predicts for an image.
struct NumberPrediction {
  std::string name;
  double predicted = 0;
  std::optional<double> truth = std::nullopt;  ///< None = not known.

  bool operator==(const NumberPrediction&) const = default;
};

/// The parts of a quantity that is linear in kbar + e: from the content, from the positions, and
/// their sum. A part that the layer does not have is empty.
struct LambdaParts {
  Array content;
  Array position;
  Array total;

  bool operator==(const LambdaParts&) const = default;
};

/// How much of the layer's output at the query comes from the content and from the positions.
struct PartBalance {
  double contentEnergy = 0;   ///< ||y_c||^2 over all heads.
  double positionEnergy = 0;  ///< ||y_p||^2
  double cosine = 0;          ///< Between y_c and y_p; 0 where one of them is 0.

  bool operator==(const PartBalance&) const = default;
};

/// The difference between the sum of all contributions and the layer's own output at the query.
struct ContributionResidual {
  double absolute = 0;  ///< max over the output's channels of |sum_mu A_mu v_mu - y|.
  double relative = 0;  ///< The same as a share of max |y|.

  bool operator==(const ContributionResidual&) const = default;
};

/// At most this many principal patterns of an embedding's tiles.
inline constexpr int kPrincipalPatterns = 6;

/// The strongest spatial patterns of tiles, of which each tile is a mixture: the first right
/// singular vectors of the matrix whose rows are the tiles.
struct PrincipalPatterns {
  Array patterns;            ///< [count, rows, columns], each of 2-norm 1, the greatest entry > 0.
  std::vector<float> share;  ///< [count], shares of the squared norm of all tiles, descending.

  bool operator==(const PrincipalPatterns&) const = default;
};

/// Learned position embeddings as tiles. A tile of relative embeddings covers the offsets m - n,
/// with offset (0, 0) in its middle: [k, u, 2H-1, 2W-1], or [k, u, r, r] for a local scope. A tile
/// of absolute embeddings covers the context of this query only: [k, u, H, W].
struct EmbeddingTiles {
  Array tiles;
  Array change;              ///< Same shape: difference from initialisation; empty if not known.
  std::vector<float> norms;  ///< [k u], 2-norm of each tile.
  std::vector<int> order;    ///< [k u], indices of tiles from the greatest norm to the smallest.
  PrincipalPatterns patterns = {};        ///< Of `tiles`; empty unless asked for.
  PrincipalPatterns changePatterns = {};  ///< Of `change`; empty unless asked for.

  bool operator==(const EmbeddingTiles&) const = default;
};

/// The keys as k u soft regions: where in the image each of them gathers its values from.
struct KeyRegions {
  /// kbar [k, u, H, W], with a mask that of the query. By the softmax each region sums to 1, by L2
  /// its squares do.
  Array regions;
  /// [k u] in nats: 0 = a single pixel, ln(H W) = uniform. Of the regions' sizes as shares of their
  /// sum.
  std::vector<float> entropy;

  bool operator==(const KeyRegions&) const = default;
};

/// What a layer computed for one image at one query position n. Of a lambda layer: the terms of its
/// own arithmetic, without interpretation. A_mu = q_n . (kbar_mu + e_nmu), y_n = sum_mu A_mu v_mu,
/// lambda_n = sum_mu (kbar_mu + e_nmu) v_mu^T (LambdaNetworks, equations 1 and 2; u of appendix
/// B.4). Of attention: the weights a_nm as the total contributions [h, 1, H, W], and where the
/// output is their sum of values, y_n = sum_m a_nm v_m, effect and residual. Of gates: their map as
/// the total contributions [1, 1, H, W]. Eval mode, float32.
struct InspectionSnapshot {
  InspectionRequest request;
  InspectedWeights weights = InspectedWeights::live;
  std::int64_t step = 0;  ///< Optimiser steps that the weights have been trained.
  int epoch = 0;
  InspectableLayer layer;
  int queryRow = 0;
  int queryColumn = 0;

  Image image;     ///< Without normalisation, for display.
  int label = -1;  ///< True class; -1 = not known.
  int predicted = 0;
  std::vector<float> probabilities;            ///< [classes]; none of a regression.
  std::vector<std::string> classNames;         ///< May be empty.
  std::vector<NumberPrediction> numbers = {};  ///< Of a regression.

  Array queries;        ///< q_n [h, k]
  LambdaParts lambdas;  ///< [k, v]
  /// [min(k, v)] of each part, in descending order; [t, min(k, v)] where t heads have a lambda
  /// each.
  LambdaParts singularValues;
  LambdaParts contributions;  ///< A [h, u, H, W]
  Array effect;               ///< || sum_u A_mu v_mu || [h, H, W]
  EmbeddingTiles embeddings;
  KeyRegions keys;
  PartBalance balance;
  ContributionResidual residual;

  bool operator==(const InspectionSnapshot&) const = default;
};

}  // namespace lambda
