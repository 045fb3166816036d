#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/fragment_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"

namespace {

/// A document that was read must be the same after it is written and read again.
void readDocument(std::string_view text) {
  std::vector<lambda::Problem> warnings;
  const auto document = lambda::documentFromJson(text, "document", warnings);
  std::visit(
      [&](const auto& value) {
        lambda::validate(value);
        const auto again = lambda::documentFromJson(lambda::toJson(value), "again", warnings);
        if (!(std::get<std::decay_t<decltype(value)>>(again) == value)) std::abort();
      },
      document);
  if (const auto* run = std::get_if<lambda::RunConfig>(&document)) {
    lambda::costOf(run->architecture);
  }
}

void readRun(std::string_view text) {
  std::vector<lambda::Problem> warnings;
  const lambda::RunRecord record = lambda::runRecordFromJson(text, "run.json", warnings);
  lambda::toJson(record);
}

void changeRun(std::string_view text) {
  lambda::RunConfig config;
  config.architecture.stages.assign(2, {64, 1, {{}, {lambda::LambdaMixer{}}}});
  lambda::applyOverride(config, text);
}

void readFragment(std::string_view text) {
  const lambda::NetworkFragment fragment = lambda::fragmentFromJson(text, "clipboard");
  if (!(lambda::fragmentFromJson(lambda::toJson(fragment), "again") == fragment)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'r':
        readRun(text);
        break;
      case 'm':
        lambda::metricsFromText(text);
        break;
      case 's':
        changeRun(text);
        break;
      case 'f':
        readFragment(text);
        break;
      default:
        readDocument(text);
    }
  } catch (const lambda::Error&) {
    // The parser refused the input, as it should.
  }
  return 0;
}
