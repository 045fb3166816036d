#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "engine/trained/score_lesions.h"

namespace lambda {

/// The options of `lambda inspect` for lesions.
struct InspectLesionsOptions {
  bool wanted = false;
  std::int64_t images = LesionRequest{}.images;
};

/// --lesions and --images. The options that lesions exclude must have been added before.
void addLesionsOptions(CLI::App* command, InspectLesionsOptions& options);

/// Scores the lesions and prints what each part is worth; with a folder, it writes their files too.
/// Returns the exit status.
int inspectLesions(const LesionRequest& request,
                   const std::optional<std::string>& folder,
                   bool asJson);

}  // namespace lambda
