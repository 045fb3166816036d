#include "engine/formats/json/fragment_json.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

namespace {

constexpr char kKey[] = "networkParts";

}  // namespace

template <Either<NetworkFragment> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"stages", "stages with their blocks", 0, 32}, value.stages);
  visit(Field{"blocks", "blocks without their stage", 0, 256}, value.blocks);
}

std::string toJson(const NetworkFragment& fragment) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  appendFields(parts, fragment);
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  document[kKey] = std::move(parts);
  return formatJson(document);
}

bool claimsToBeFragment(std::string_view text) {
  return text.find('"' + std::string(kKey) + '"') != std::string_view::npos;
}

NetworkFragment fragmentFromJson(std::string_view text, const std::string& source) {
  const FieldReader reader(source, nullptr);
  const nlohmann::json document = reader.upgraded(parseJson(text, source));
  const auto parts = document.find(kKey);
  if (parts == document.end()) reader.fail(kKey, "there are no parts of a network");
  NetworkFragment fragment;
  reader.readFields(*parts, kKey, fragment);
  if (fragment.isEmpty()) reader.fail(kKey, "there are neither stages nor blocks");
  return fragment;
}

}  // namespace lambda
