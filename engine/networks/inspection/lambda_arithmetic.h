#pragma once

#include "engine/layers/lambda/lambda_layer.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// One query position of one image.
struct QueryPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// What a layer computes from one input for all queries: its float32 values, converted to double on
/// the CPU. There are t lambdas at a position, one below the other: h in a multi-head layer,
/// otherwise 1.
struct LayerOperands {
  std::int64_t height = 0;
  std::int64_t width = 0;
  at::Tensor queries = {};  ///< [n, h, t k]; 0 in the rows of lambdas of other heads
  /// kbar [m, u, t k], with a mask [n, m, u, t k]; undefined without content lambda
  at::Tensor keys = {};
  at::Tensor values = {};  ///< [t, m, u, v]
  at::Tensor output = {};  ///< [n, h, v], of the layer's forward pass
};

/// The operands for an input x [1, d, H, W]. Here and below, the layer must be in eval mode, its
/// tokens must be pixels, and gradients must not be recorded.
LayerOperands operandsOf(LambdaLayer& layer, const at::Tensor& x);

/// Decomposes the computation of `layer` for the input of `operands` at one query: fills the
/// snapshot's queries, lambdas, singular values, contributions, effect, keys, balance and residual.
/// The residual compares the sum of all contributions with the layer's output.
void decompose(LambdaLayer& layer,
               const LayerOperands& operands,
               const QueryPlace& query,
               InspectionSnapshot& snapshot);

/// The position embeddings as tiles; for an absolute embedding, those of the query's position.
/// `initial`: the table before the first step, undefined if not known. `withPatterns`: computes the
/// principal patterns too. Empty without position lambda.
EmbeddingTiles embeddingTilesOf(LambdaLayer& layer,
                                const at::Tensor& initial,
                                const QueryPlace& query,
                                bool withPatterns);

/// How far a sum of contributions is from a layer's output of the same shape.
ContributionResidual residualOf(const at::Tensor& sum, const at::Tensor& output);

/// The values in double on the CPU.
at::Tensor inDouble(const at::Tensor& tensor);

/// A row-major float32 copy on the CPU.
Array arrayOf(const at::Tensor& tensor);

}  // namespace lambda
