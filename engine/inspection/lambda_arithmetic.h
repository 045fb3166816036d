#pragma once

#include "engine/layers/lambda/lambda_layer.h"
#include "engine/values/inspection.h"

namespace lambda {

/// One query position of one image.
struct QueryPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// What a layer makes of one input whatever the query: its own float32 numbers, in double on the
/// host.
struct LayerOperands {
  std::int64_t height = 0;
  std::int64_t width = 0;
  at::Tensor queries = {};  ///< [n, h, k]
  at::Tensor keys = {};     ///< kbar [m, u, k]; undefined without content lambda
  at::Tensor values = {};   ///< [m, u, v]
  at::Tensor output = {};   ///< [n, h, v], of the layer's own forward pass
};

/// The operands of an input x [1, d, H, W]. The layer is in eval mode and no gradients are
/// recorded; so below.
LayerOperands operandsOf(LambdaLayer& layer, const at::Tensor& x);

/// Takes apart what `layer` does with the input of `operands` at the query, into the snapshot's
/// queries, lambdas, singular values, contributions, effect, keys, balance and residual. The
/// residual compares the sum of all parts with the layer's own output.
void decompose(LambdaLayer& layer,
               const LayerOperands& operands,
               const QueryPlace& query,
               InspectionSnapshot& snapshot);

/// The embeddings as tiles; of an absolute embedding those of the query's own position. `initial`:
/// the table as it was at the start, undefined if not known. Empty without position lambda.
EmbeddingTiles embeddingTilesOf(LambdaLayer& layer,
                                const at::Tensor& initial,
                                const QueryPlace& query);

/// A row-major copy on the host.
Array arrayOf(const at::Tensor& tensor);

}  // namespace lambda
