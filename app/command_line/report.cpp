#include "app/command_line/report.h"

#include <cstdio>
#include <iostream>
#include <new>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

/// The first line of a message: in messages of LibTorch a stack trace follows.
std::string firstLineOf(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void printError(const std::string& place, const std::string& reason, const std::string& hint) {
  const std::string at = place.empty() ? "" : terminalText(place) + ": ";
  std::string text = "lambda: " + at + terminalText(reason, LineBreaks::kept) + "\n";
  if (!hint.empty()) text += "  " + terminalText(hint, LineBreaks::kept) + "\n";
  std::fputs(text.c_str(), stderr);
}

void printErrorJson(const std::string& place, const std::string& reason, const Json& more) {
  Json error{{"place", place}, {"reason", reason}};
  error.update(more);
  printJson({{"error", error}});
}

int reportOurs(const Error& error, bool json) {
  const auto* invalid = dynamic_cast<const InvalidConfiguration*>(&error);
  printError(error.place(), error.reason(), error.hint());
  if (invalid != nullptr) printNote(problemsText(invalid->problems()));
  if (json) {
    Json more{{"hint", error.hint()}};
    if (invalid != nullptr) more = {{"problems", problemsJson(invalid->problems())}};
    printErrorJson(error.place(), error.reason(), more);
  }
  const bool isUsage = invalid != nullptr || dynamic_cast<const UsageError*>(&error) != nullptr;
  return isUsage ? kExitUsage : kExitFailure;
}

}  // namespace

void printText(const std::string& text) {
  std::cout << terminalText(text, LineBreaks::kept);
}

void printContent(const std::string& text) {
  if (isatty(STDOUT_FILENO) != 0) return printText(text);
  std::cout << text;
}

void printNote(const std::string& text) {
  std::fputs(terminalText(text, LineBreaks::kept).c_str(), stderr);
}

void printJson(const Json& object) {
  std::cout << formatJson(object, ForeignText::replaced);
}

Json runJson(const RunResult& result) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const ScoreTraits score = traitsOf(result.scoredBy);
  Json object{{"run", result.run},
              {"status", nameOf(result.status)},
              {"epochs", result.epochs},
              {score.bestKey, optional(result.bestValidationScore)},
              {score.testKey, optional(result.testScore)},
              {"trainSeconds", result.trainSeconds},
              {"imagesPerSecond", result.imagesPerSecond}};
  const auto addMajority = [&](const char* key, const std::optional<MajorityClass>& majority) {
    if (majority) object[key] = {{"class", majority->name}, {"share", majority->share}};
  };
  addMajority("validationMajority", result.validationMajority);
  addMajority("testMajority", result.testMajority);
  if (!result.scoring.empty()) object["scoring"] = result.scoring;
  if (!result.failure.empty()) object["failure"] = result.failure;
  return object;
}

std::string shownPath(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path relative = path.lexically_relative(here);
  const bool isBelow =
      !error && path.is_absolute() && !relative.empty() && *relative.begin() != "..";
  return (isBelow ? relative : path).string();
}

std::string scoreInWords(double score, ScoreKind kind) {
  return traitsOf(kind).isShare ? formatScore(score, kind) : namedScore(score, kind);
}

std::string problemsText(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    const bool isError = problem.severity == Severity::error;
    text +=
        std::string(isError ? "  error    " : "  warning  ") + terminalText(problem.path) + "\n";
    text += "           " + terminalText(problem.text) + "\n";
    if (!problem.fix) continue;
    text += "           " + problem.fix->label + ": --set " +
            shellWord(problem.fix->path + "=" + problem.fix->value) + "\n";
  }
  return text;
}

void noteIgnored(const std::string& file, const std::vector<Problem>& warnings) {
  if (warnings.empty()) return;
  printNote("lambda: " + file + ": parts of it are ignored:\n" + problemsText(warnings));
}

Json problemsJson(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) {
    Json entry{{"path", problem.path},
               {"severity", problem.severity == Severity::error ? "error" : "warning"},
               {"text", problem.text}};
    if (problem.fix) {
      entry["fix"] = {{"label", problem.fix->label},
                      {"path", problem.fix->path},
                      {"value", problem.fix->value}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

int reportUnknownError(bool json) {
  const std::string reason = "the reason of the failure is not known";
  printError("", reason, "");
  if (json) printErrorJson("", reason, Json::object());
  return kExitFailure;
}

int reportError(const std::exception& error, bool json) {
  if (const auto* ours = dynamic_cast<const Error*>(&error)) return reportOurs(*ours, json);
  const bool isOfMemory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const std::string reason =
      isOfMemory ? "there is not enough memory; close other programs" : firstLineOf(error.what());
  printError("", reason, "");
  if (json) printErrorJson("", reason, Json::object());
  return kExitFailure;
}

}  // namespace lambda
