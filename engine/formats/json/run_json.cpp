#include "engine/formats/json/run_json.h"

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

namespace {

constexpr JsonLimits kRunLimits{32 << 20, 16};  // It has the names of all classes.

}  // namespace

std::string toJson(const RunRecord& record) {
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, record);
  return formatJson(document);
}

RunRecord runRecordFromJson(std::string_view text,
                            const std::string& file,
                            std::vector<Problem>& warnings) {
  const FieldReader reader(file, &warnings);
  const nlohmann::json document = reader.upgraded(parseJson(text, file, kRunLimits));
  RunRecord record;
  record.config.recipe.lastBatch = LastBatch::drop;  // What runs did before there was the setting.
  reader.readFields(document, "", record, {"schema"});
  return record;
}

RunRecord readRunRecord(const std::filesystem::path& file, std::vector<Problem>& warnings) {
  return runRecordFromJson(readFile(file, kRunLimits.maxBytes), file.string(), warnings);
}

void writeRunRecord(const std::filesystem::path& file, const RunRecord& record) {
  writeFileDurably(file, toJson(record));
}

}  // namespace lambda
