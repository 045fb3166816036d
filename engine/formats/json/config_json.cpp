#include "engine/formats/json/config_json.h"

#include <utility>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

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
  if (document.is_object() && document.contains("architecture")) {
    return readDocument<RunConfig>(std::move(document), file, warnings);
  }
  return readDocument<Architecture>(std::move(document), file, warnings);
}

}  // namespace lambda
