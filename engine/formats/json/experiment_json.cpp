#include "engine/formats/json/experiment_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

std::string toJson(const Experiment& experiment) {
  return documentOf(experiment);
}

Experiment experimentFromJson(std::string_view text,
                              const std::string& file,
                              std::vector<Problem>& warnings) {
  return readDocument<Experiment>(parseJson(text, file), file, warnings);
}

}  // namespace lambda
