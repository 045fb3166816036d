#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

// JSON documents of a network or a run. Keys, ranges and order are those of
// engine/values/config/fields.h; "schema": 3 comes first. Equal neighbouring blocks of a stage are
// written once with "repeat": N. A mixer is {"kind": "lambda", "k": 16, ...}, or only the name of
// its kind for the defaults. Documents of older schemas are read with the same meaning.
//
// Reading throws Error(`file`, "PATH: reason") for text that is not JSON, a missing or newer
// schema, a wrong type, an unknown name, or a number out of its range, where PATH is the value's
// place in the document, for example "architecture.stages[2].blocks[0].mixer.h". Missing keys take
// their defaults. Unknown keys are appended to `warnings`. validate() checks whether the values fit
// each other.

std::string toJson(const Architecture& architecture);
std::string toJson(const RunConfig& config);

Architecture architectureFromJson(std::string_view text,
                                  const std::string& file,
                                  std::vector<Problem>& warnings);
RunConfig runConfigFromJson(std::string_view text,
                            const std::string& file,
                            std::vector<Problem>& warnings);

/// The ending by which a desktop recognises a document among other JSON files.
inline constexpr char kDocumentEnding[] = ".lambda.json";

/// The name that a document has from its file: "mine" for mine.lambda.json and for mine.json.
std::string documentName(const std::filesystem::path& file);

/// What a JSON document of the program describes.
enum class DocumentKind { network, run, experiment, runRecord, unknown };

/// The kind whose fields a document has, whatever the name of its file is; `unknown` where it has
/// none but a name. Throws Error for text that is not JSON.
DocumentKind documentKind(std::string_view text, const std::string& file);

/// Reads a network or the configuration of a run. Throws Error for a document of another kind, and
/// names that kind.
std::variant<Architecture, RunConfig> documentFromJson(std::string_view text,
                                                       const std::string& file,
                                                       std::vector<Problem>& warnings);

}  // namespace lambda
