#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "engine/values/inspection/token_inspection.h"

namespace lambda {

class CheckpointInspector;

/// The options of `lambda inspect` for a network of tokens.
struct InspectTokensOptions {
  std::optional<std::string> text;
  std::optional<std::uint64_t> sequence;
  std::optional<int> position;

  bool empty() const { return !text && !sequence && !position; }
};

/// --text, --sequence and --position
void addTokensOptions(CLI::App* command, InspectTokensOptions& options);

/// Writes the files of an inspection and prints what it found. `request`: its layer and its split.
/// Returns the exit status.
int inspectTokens(CheckpointInspector& inspector,
                  TokenInspectionRequest request,
                  const InspectTokensOptions& options,
                  const std::string& folder,
                  bool asJson);

}  // namespace lambda
