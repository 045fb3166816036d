#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/values/run_config.h"

namespace lambda {

struct Template {
  std::string name;  ///< Of the preset.
  RunConfig config;
};

struct TemplateGroup {
  QString title;
  std::vector<Template> templates;
};

/// The presets, grouped by what they are for; presets of one's own come with the others of their
/// image size. `problems` gets what is wrong with files that can't be read.
std::vector<TemplateGroup> loadTemplates(QStringList& problems);

/// A template as a document: with the machine's settings and the place of the data that `current`
/// has.
RunConfig startedFrom(const Template& from, const RunConfig& current);

}  // namespace lambda
