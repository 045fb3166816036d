#pragma once

#include <optional>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The network of a published RWKV-4 checkpoint (emb.weight, blocks.0.att.time_decay, ...), for
/// sequences of `length` tokens: its vocabulary, width, blocks and the width of its channel mixing
/// are those that its tensors have. Nothing for a file without time mixings of such a name. Throws
/// Error, naming `place` and the tensor, unless the file has every tensor of that network and no
/// other, each of floating point and of the shape that the other ones require.
std::optional<Architecture> rwkvNetworkIn(const SafeTensors& file,
                                          int length,
                                          const std::string& place);

}  // namespace lambda
