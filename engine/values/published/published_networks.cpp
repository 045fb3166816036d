#include "engine/values/published/published_networks.h"

#include <algorithm>

#include "engine/values/published/published_parts.h"

namespace lambda {

namespace {

PublishedList publishedList() {
  PublishedList list;
  addResNets(list);
  addResNet50Comparisons(list);
  addScaledNetworks(list);
  addMobileNets(list);
  return list;
}

}  // namespace

std::vector<PublishedName> publishedNames() {
  std::vector<PublishedName> names;
  for (PublishedEntry& entry : publishedList()) {
    names.push_back({std::move(entry.name), entry.group});
  }
  return names;
}

std::optional<RunConfig> publishedNetwork(std::string_view name) {
  const PublishedList list = publishedList();
  const auto found = std::ranges::find(list, name, &PublishedEntry::name);
  std::optional<RunConfig> config =
      found == list.end() ? mobileNetNamed(name) : std::optional(found->make());
  if (config) config->name = name;
  return config;
}

}  // namespace lambda
