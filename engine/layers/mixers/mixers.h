#pragma once

#include <functional>

#include "engine/layers/attention/attention_heads.h"
#include "engine/layers/lambda/position_embedding.h"
#include "engine/layers/roled_module.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

/// A function that turns a map [b, c, H, W] into a map [b, d, H', W'].
using MapFunction = std::function<at::Tensor(const at::Tensor&)>;

// addMixer() has one overload for each kind of mixer. It makes the layer of a block's mixer with
// the shapes and the mixerStride of the block's plan, registers it in `unit`, and returns the
// function that runs it. The name under which the layer is registered is part of its parameters'
// names in checkpoints. `shared`: embeddings that another module owns, otherwise null.

MapFunction addMixer(RoledModule& unit,
                     const ConvolutionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const LambdaMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const DepthwiseConvolutionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const SelfAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const LocalAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const AxialAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const LinearAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const NonLocalMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const SqueezeExcitationMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const SpatialAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);
MapFunction addMixer(RoledModule& unit,
                     const RwkvMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared);

/// The options of an attention layer at the place of a block's mixer.
AttentionOptions attentionOptionsOf(const PlacedMixer& place, int heads);

}  // namespace lambda
