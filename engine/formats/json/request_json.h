#pragma once

#include <string>
#include <string_view>

#include "engine/values/run/run_request.h"

namespace lambda {

// A request of a run as one JSON object: {"ask": "pause"}, or {"ask": "change", "epochs": 20,
// "learningRateFactor": 0.5, "checkpoints": {"everyEpochs": 2}} with only the settings that change.

/// One line, without its newline.
std::string toJson(const RunRequest& request);

/// Throws Error(`file`, reason) for text that is no request, including an unknown key.
RunRequest runRequestFromJson(std::string_view text, const std::string& file);

}  // namespace lambda
