#include "app/design/templates/template_list.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <QStringList>

#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/published/published_networks.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The recommended order for newcomers; other templates follow.
constexpr std::array<std::string_view, 21> kOrder{"quickstart",
                                                  "cpu-hybrid",
                                                  "cpu-wide",
                                                  "plain-94",
                                                  "plain-94-lambda",
                                                  "resnet50-cifar",
                                                  "resnet50-cifar-ccll",
                                                  "resnet50-cifar-llll",
                                                  "tudelft-conv",
                                                  "tudelft-lambda",
                                                  "tudelft-conv-published",
                                                  "tudelft-lambda-published",
                                                  "resnet50-imagenet",
                                                  "resnet50-imagenet-ccll",
                                                  "resnet50-imagenet-llll",
                                                  "recall-lambda",
                                                  "recall-attention",
                                                  "recall-rwkv",
                                                  "text-lambda",
                                                  "text-attention",
                                                  "text-rwkv"};
constexpr int kLargestSmallImage = 64;

std::size_t placeOf(const std::string& name) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin());
}

std::size_t groupOf(const Architecture& architecture) {
  if (isOfSequences(architecture.family)) return 2;
  return std::max(architecture.input.height, architecture.input.width) <= kLargestSmallImage ? 0
                                                                                             : 1;
}

}  // namespace

std::vector<TemplateGroup> loadTemplates(QStringList& problems) {
  std::vector<std::string> names = presetFileNames();
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return placeOf(a) < placeOf(b);
  });
  std::vector<TemplateGroup> groups{{u"For small images: shapes10 and CIFAR-10"_s, {}},
                                    {u"For ImageNet, as a folder of pictures"_s, {}},
                                    {u"For text and other sequences"_s, {}}};
  for (const std::string& name : names) {
    try {
      std::vector<Problem> warnings;
      Template loaded{name, loadPreset(name, warnings)};
      std::vector<Template>& group = groups[groupOf(loaded.config.architecture)].templates;
      group.push_back(std::move(loaded));
    } catch (const Error& error) {
      problems << QString::fromStdString(error.what());
    }
  }
  for (const PublishedName& published : publishedNames()) {
    if (std::ranges::find(names, published.name) != names.end()) continue;
    const QString title = QString::fromUtf8(published.group.data(), std::ssize(published.group));
    if (groups.back().title != title) groups.push_back({title, {}});
    groups.back().templates.push_back({published.name, *publishedNetwork(published.name)});
  }
  std::erase_if(groups, [](const TemplateGroup& group) { return group.templates.empty(); });
  return groups;
}

RunConfig startedFrom(const Template& from, const RunConfig& current) {
  RunConfig config = from.config;
  config.device = current.device;
  config.checkpoints = current.checkpoints;
  config.monitoring = current.monitoring;
  // The place of a data set that is already known is kept.
  const std::string* known = pathOf(current.data.source);
  if (known && current.data.source.index() == config.data.source.index()) {
    *pathOf(config.data.source) = *known;
  }
  return config;
}

}  // namespace lambda
