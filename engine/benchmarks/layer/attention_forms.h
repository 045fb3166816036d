#pragma once

#include <optional>

#include "engine/benchmarks/layer/layer_forms.h"

namespace lambda {

/// An attention layer of the engine as it is written with PyTorch, with the same weights: attention
/// over the map or its lines by scaled_dot_product_attention, whose mask has the logits of the
/// relative positions; local attention by unfolding keys and values. Nothing for other layers.
std::optional<LayerForm> torchForm(const LayerCase& shape, const MixerLayer& layer);

}  // namespace lambda
