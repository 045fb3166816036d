#include "engine/formats/json/checkpoint_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

namespace {

constexpr JsonLimits kHeaderLimits{32 << 20, 16};  // It has the names of all classes.

}  // namespace

std::string toJson(const CheckpointHeader& header) {
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, header);
  return formatJson(document);
}

CheckpointHeader checkpointHeaderFromJson(std::string_view text, const std::string& file) {
  const FieldReader reader(file, nullptr);
  const nlohmann::json document = reader.upgraded(parseJson(text, file, kHeaderLimits));
  CheckpointHeader header;
  header.config.recipe.lastBatch = LastBatch::drop;  // What runs did before there was the setting.
  reader.readFields(document, "", header, {"schema"});
  return header;
}

}  // namespace lambda
