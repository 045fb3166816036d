#include "app/runs/run_command.h"

#include <optional>
#include <string>
#include <vector>

#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"
#include "widgets/forms/field_rows.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The most overrides in a command line; a file with more is easier to read.
constexpr std::size_t kMostOverrides = 12;

/// A value in the syntax of `--set`.
std::string overrideText(const FieldRow& row) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          return row.isUnsigned ? std::to_string(static_cast<std::uint64_t>(value))
                                : std::to_string(value);
        } else if constexpr (std::is_same_v<Value, double>) {
          return formatNumber(value);
        } else if constexpr (std::is_same_v<Value, Choice>) {
          return value.names[static_cast<std::size_t>(value.index)];
        } else {
          return value;
        }
      },
      row.value);
}

/// The settings of `config` that differ from `preset`; none where a line can't express them.
std::optional<std::vector<std::string>> overridesFor(const RunConfig& config,
                                                     const RunConfig& preset) {
  std::vector<std::string> overrides;
  RunConfig result = preset;
  std::vector<FieldRow> given = rowsOf(result);
  for (const FieldRow& row : rowsOf(config)) {
    // Another kind of data set has other fields, so that each is looked up again.
    const FieldRow* now = findRow(given, row.path);
    if (now && now->value == row.value) continue;
    overrides.push_back(row.path + "=" + overrideText(row));
    if (overrides.size() > kMostOverrides) return std::nullopt;
    applyOverride(result, overrides.back());
    given = rowsOf(result);
  }
  if (result != config) return std::nullopt;
  // --data derives the kind from the place.
  const auto isOf = [](const char* path) {
    return [path](const std::string& assignment) { return assignment.starts_with(path); };
  };
  if (std::ranges::any_of(overrides, isOf("data.source.path="))) {
    std::erase_if(overrides, isOf("data.source.kind="));
  }
  return overrides;
}

std::string optionFor(const std::string& assignment) {
  for (const auto& [path, option] : {std::pair("name=", "--name "),
                                     std::pair("seed=", "--seed "),
                                     std::pair("recipe.epochs=", "--epochs "),
                                     std::pair("data.source.kind=", "--data "),
                                     std::pair("data.source.path=", "--data ")}) {
    if (assignment.starts_with(path)) return option;
  }
  return "--set ";
}

}  // namespace

QString shellQuoted(const QString& text) {
  return QString::fromStdString(shellWord(text.toStdString()));
}

QString commandFor(const RunSummary& run) {
  std::optional<std::vector<std::string>> fewest;
  std::string source;
  for (const std::string& name : presetNames()) {
    try {
      std::vector<Problem> ignored;
      RunConfig preset = loadPreset(name, ignored);
      if (preset.name.empty()) preset.name = name;
      const auto overrides = overridesFor(run.record.config, preset);
      if (!overrides || (fewest && fewest->size() <= overrides->size())) continue;
      fewest = overrides;
      source = name;
    } catch (const Error&) {
      continue;
    }
  }
  if (!fewest) return u"lambda train "_s + shellQuoted(toText(run.path));
  QString command = u"lambda train "_s + QString::fromStdString(source);
  for (const std::string& assignment : *fewest) {
    const std::string option = optionFor(assignment);
    const std::string value =
        option == "--set " ? assignment : assignment.substr(assignment.find('=') + 1);
    command += u' ' + QString::fromStdString(option) + shellQuoted(QString::fromStdString(value));
  }
  return command;
}

}  // namespace lambda
