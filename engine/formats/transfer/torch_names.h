#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The names under which a tensor of this program's networks can be in other weights, the most
/// specific first: its own, "stage1.block1.reduce.conv.weight", and those of torchvision's and
/// timm's ResNets, "layer1.0.conv1.weight". A later name counts only where the earlier ones are
/// missing, because timm's ResNet-D has its pooling before the convolution of a shortcut, which
/// shifts the numbers there.
std::vector<std::string> torchNamesOf(std::string_view name);

/// The name without what wrappers of a model put before it: "module." (DataParallel) and
/// "_orig_mod." (torch.compile).
std::string_view withoutWrappers(std::string_view name);

}  // namespace lambda
