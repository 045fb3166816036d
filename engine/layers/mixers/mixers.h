#pragma once

#include <functional>

#include "engine/layers/lambda/position_embedding.h"
#include "engine/layers/roled_module.h"
#include "engine/values/plan.h"

namespace lambda {

/// What turns a map [b, c, H, W] into a map [b, d, H', W'].
using MapFunction = std::function<at::Tensor(const at::Tensor&)>;

// One overload a kind: makes the layer of a block's mixer with the shapes and the mixerStride of
// the block's plan, registers it in `unit`, and returns what runs it. The name under which it is
// registered is a part of its parameters' names in checkpoints. `shared`: the embeddings that
// another module owns, else null.

MapFunction addMixer(RoledModule& unit,
                     const ConvolutionMixer& mixer,
                     const BlockPlan& plan,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const LambdaMixer& mixer,
                     const BlockPlan& plan,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const DepthwiseConvolutionMixer& mixer,
                     const BlockPlan& plan,
                     const PositionEmbeddingTable& shared);

}  // namespace lambda
