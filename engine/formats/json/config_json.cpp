#include "engine/formats/json/config_json.h"

#include <algorithm>
#include <utility>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/experiment/experiment.h"

namespace lambda {

namespace {

/// How many keys of a document are fields of T. A name may belong to anything.
template <class T>
int fieldsIn(const nlohmann::json& document) {
  int count = 0;
  const T value{};
  visitFields(value, [&](const Field& field, const auto&) {
    count += field.name != std::string_view("name") && document.contains(field.name);
  });
  return count;
}

DocumentKind kindOf(const nlohmann::json& document) {
  if (!document.is_object()) return DocumentKind::unknown;
  const std::pair<DocumentKind, int> kinds[] = {
      {DocumentKind::unknown, 0},
      {DocumentKind::network, fieldsIn<Architecture>(document)},
      {DocumentKind::run, fieldsIn<RunConfig>(document)},
      {DocumentKind::experiment, fieldsIn<Experiment>(document)},
      {DocumentKind::runRecord, fieldsIn<RunRecord>(document)},
  };
  return std::ranges::max_element(kinds, {}, &std::pair<DocumentKind, int>::second)->first;
}

/// Whether a document has other keys than those that every document may have.
bool hasContent(const nlohmann::json& document) {
  return document.is_object() &&
         document.size() > document.count("schema") + document.count("name");
}

}  // namespace

std::string toJson(const Architecture& architecture) {
  return documentOf(architecture);
}

std::string toJson(const RunConfig& config) {
  return documentOf(config);
}

Architecture architectureFromJson(std::string_view text,
                                  const std::string& file,
                                  std::vector<Problem>& warnings) {
  return readDocument<Architecture>(parseJson(text, file), file, warnings);
}

RunConfig runConfigFromJson(std::string_view text,
                            const std::string& file,
                            std::vector<Problem>& warnings) {
  return readDocument<RunConfig>(parseJson(text, file), file, warnings);
}

std::string documentName(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(kDocumentEnding)
             ? name.substr(0, name.size() - std::string_view(kDocumentEnding).size())
             : file.stem().string();
}

std::variant<Architecture, RunConfig> documentFromJson(std::string_view text,
                                                       const std::string& file,
                                                       std::vector<Problem>& warnings) {
  nlohmann::json document = parseJson(text, file);
  switch (kindOf(document)) {
    case DocumentKind::run:
      return readDocument<RunConfig>(std::move(document), file, warnings);
    case DocumentKind::experiment:
      throw Error(file,
                  "this is an experiment, not a network or a run's configuration",
                  "The command \"lambda experiment run\" trains its runs, and the studio opens it "
                  "in Experiments.");
    case DocumentKind::runRecord:
      throw Error(file,
                  "this is the record of a run, not a network or a run's configuration",
                  "Name the folder of the run instead, and keep the name run.json of its record.");
    case DocumentKind::unknown:
      if (!hasContent(document)) break;
      throw Error(file,
                  "this is not a network or a run's configuration: none of its keys belongs to one",
                  "A network has \"stages\", and a run's configuration has an \"architecture\".");
    case DocumentKind::network:
      break;
  }
  return readDocument<Architecture>(std::move(document), file, warnings);
}

DocumentKind documentKind(std::string_view text, const std::string& file) {
  return kindOf(parseJson(text, file));
}

}  // namespace lambda
