#include "engine/formats/json/experiment_json.h"

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"

namespace lambda {

std::string toJson(const Experiment& experiment) {
  return documentOf(experiment);
}

Experiment experimentFromJson(std::string_view text,
                              const std::string& file,
                              std::vector<Problem>& warnings) {
  const DocumentKind kind = documentKind(text, file);
  if (kind != DocumentKind::experiment && kind != DocumentKind::unknown) {
    throw Error(file,
                kind == DocumentKind::runRecord ? "this is the record of a run, not an experiment"
                : kind == DocumentKind::run     ? "this is a run's configuration, not an experiment"
                                                : "this is a network, not an experiment",
                "The command \"lambda train\" trains a network. An experiment has \"variants\" or "
                "\"axes\".");
  }
  return readDocument<Experiment>(parseJson(text, file), file, warnings);
}

}  // namespace lambda
