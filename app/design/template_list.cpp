#include "app/design/template_list.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <QStringList>

#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The recommended order for newcomers; other templates follow.
constexpr std::array<std::string_view, 10> kOrder{"quickstart",
                                                  "cpu-hybrid",
                                                  "resnet50-cifar",
                                                  "resnet50-cifar-ccll",
                                                  "resnet50-cifar-llll",
                                                  "tudelft-conv",
                                                  "tudelft-lambda",
                                                  "resnet50-imagenet",
                                                  "resnet50-imagenet-ccll",
                                                  "resnet50-imagenet-llll"};
constexpr int kLargestSmallImage = 64;

std::size_t placeOf(const std::string& name) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin());
}

}  // namespace

std::vector<TemplateGroup> loadTemplates(QStringList& problems) {
  std::vector<std::string> names = presetNames();
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return placeOf(a) < placeOf(b);
  });
  TemplateGroup small{u"For small images: shapes10 and CIFAR-10"_s, {}};
  TemplateGroup large{u"For ImageNet: shapes and costs alone"_s, {}};
  for (const std::string& name : names) {
    try {
      std::vector<Problem> warnings;
      Template loaded{name, loadPreset(name, warnings)};
      const MapShape& input = loaded.config.architecture.input;
      const bool isSmall = std::max(input.height, input.width) <= kLargestSmallImage;
      (isSmall ? small : large).templates.push_back(std::move(loaded));
    } catch (const Error& error) {
      problems << QString::fromStdString(error.what());
    }
  }
  std::vector<TemplateGroup> groups;
  for (TemplateGroup& group : std::array{small, large}) {
    if (!group.templates.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

RunConfig startedFrom(const Template& from, const RunConfig& current) {
  RunConfig config = from.config;
  config.device = current.device;
  config.checkpoints = current.checkpoints;
  config.monitoring = current.monitoring;
  // The place of a data set that is already known is kept.
  const DataSource& known = current.data.source;
  if (pathOf(known) && known.index() == config.data.source.index()) config.data.source = known;
  return config;
}

}  // namespace lambda
