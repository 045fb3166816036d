#include "engine/formats/json/config_json.h"

#include <utility>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

namespace {

template <class T>
std::string documentOf(const T& value) {
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, value);
  return formatJson(document);
}

template <class T>
T read(nlohmann::json document, const std::string& file, std::vector<Problem>& warnings) {
  const FieldReader reader(file, &warnings);
  T value;
  reader.readFields(reader.upgraded(std::move(document)), "", value, {"schema"});
  return value;
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
  return read<Architecture>(parseJson(text, file), file, warnings);
}

RunConfig runConfigFromJson(std::string_view text,
                            const std::string& file,
                            std::vector<Problem>& warnings) {
  return read<RunConfig>(parseJson(text, file), file, warnings);
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
  if (document.is_object() && document.contains("architecture")) {
    return read<RunConfig>(std::move(document), file, warnings);
  }
  return read<Architecture>(std::move(document), file, warnings);
}

}  // namespace lambda
