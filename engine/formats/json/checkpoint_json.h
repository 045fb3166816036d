#pragma once

#include <string>
#include <string_view>

#include "engine/values/run/checkpoint_header.h"

namespace lambda {

/// The metadata key of a checkpoint's header in its safetensors file.
inline constexpr std::string_view kCheckpointKey = "lambda_studio";

// The header as JSON, under the rules of config_json.h.

std::string toJson(const CheckpointHeader& header);

/// `file` names the checkpoint in errors.
CheckpointHeader checkpointHeaderFromJson(std::string_view text, const std::string& file);

}  // namespace lambda
