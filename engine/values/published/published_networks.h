#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The name of a network of the literature that this program makes, beside the presets in files.
struct PublishedName {
  std::string name;        ///< "resnet101-cifar"
  std::string_view group;  ///< The family under which a person looks for it: "ResNet-RS".
};

/// The names of all published networks, in groups, each from small to large.
std::vector<PublishedName> publishedNames();

/// The published network of that name, with the recipe of its source as far as this program has its
/// parts, and with the size of the images of its source; none if there is no such name. MobileNets
/// have any width between 0.1 and 4: "mobilenet-v2-0.6", "mobilenet-v2-lambda-0.6".
std::optional<RunConfig> publishedNetwork(std::string_view name);

}  // namespace lambda
