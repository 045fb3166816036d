#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/values/config/run_config.h"

namespace lambda {

struct Template {
  std::string name;  ///< The preset's name.
  RunConfig config;
};

struct TemplateGroup {
  QString title;
  std::vector<Template> templates;
};

/// The presets: those in files, by the size of their images, then the published networks by their
/// family. `problems` receives the reasons why files can't be read.
std::vector<TemplateGroup> loadTemplates(QStringList& problems);

/// A template as a document, with the machine's settings and the place of the data from `current`.
RunConfig startedFrom(const Template& from, const RunConfig& current);

}  // namespace lambda
