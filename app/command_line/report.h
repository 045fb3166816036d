#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/values/fields/problem.h"
#include "engine/values/run/metrics.h"

namespace lambda {

// Everything that the program prints goes through these functions or ProgressLine.

/// Prints lines on standard output. Control characters, which can only come from names and files,
/// are escaped.
void printText(const std::string& text);

/// Prints the content of a file on standard output: unchanged, but on a terminal as printText().
void printContent(const std::string& text);

/// The same on standard error.
void printNote(const std::string& text);

/// Prints the object on standard output so that every parser and every terminal accepts it.
void printJson(const nlohmann::ordered_json& object);

/// The object at the end of train, resume, fork and evaluate. It names under "scoring" how the
/// accuracies were measured, unless by the weights as trained.
nlohmann::ordered_json runJson(const RunResult& result);

/// A path as a person would type it: relative where it lies below the working folder.
std::string shownPath(const std::filesystem::path& path);

/// A score that says what it is: "86.53 %", "R² 0.9573".
std::string scoreInWords(double score, ScoreKind kind);

/// Every problem with its path, its text and the --set that solves it.
std::string problemsText(const std::vector<Problem>& problems);

/// Notes on standard error what was ignored of a file, each part with its path, if anything was.
void noteIgnored(const std::string& file, const std::vector<Problem>& warnings);

nlohmann::ordered_json problemsJson(const std::vector<Problem>& problems);

/// Reports the error that stopped the program: "lambda: PLACE: REASON" and the hint below it on
/// standard error; with `json` also {"error": ...} on standard output. Returns the exit status.
int reportError(const std::exception& error, bool json);

/// The same for a thrown value that is no exception of the standard library.
int reportUnknownError(bool json);

}  // namespace lambda
