#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The names under which a tensor of this program's networks can be in other weights, the most
/// specific first: its own, "stage1.block1.reduce.conv.weight", and those of torchvision's and
/// timm's ResNets, "layer1.0.conv1.weight", and of the published RWKV-4 networks, which have one
/// stage, "blocks.0.att.key.weight". A later name counts only where the earlier ones are missing,
/// because timm's ResNet-D has its pooling before the convolution of a shortcut, which shifts the
/// numbers there.
std::vector<std::string> torchNamesOf(std::string_view name);

/// "" and the beginnings, up to a point, that more than half of the names share, the shortest
/// first: "module." and "module.net.", as wrappers of a model put them before its names.
std::vector<std::string> sharedPrefixes(const std::vector<std::string>& names);

}  // namespace lambda
