#pragma once

#include "engine/layers/lambda_layer.h"
#include "engine/values/inspection.h"

namespace lambda {

/// One query position of one image.
struct QueryPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// Takes apart what `layer` does with its input x [1, d, H, W] at the query, into the snapshot's
/// queries, lambdas, singular values, contributions, effect, keys, balance and residual. The
/// layer's own float32 queries, keys, values and embeddings are combined in double; the residual
/// compares their sum with the output of the layer's own forward pass.
/// The layer is in eval mode and no gradients are recorded.
void takeApart(LambdaLayer& layer,
               const at::Tensor& x,
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
