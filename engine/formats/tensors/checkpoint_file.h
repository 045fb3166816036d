#pragma once

#include <filesystem>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/checkpoint_header.h"

namespace lambda {

/// What a checkpoint says of itself. Its tensors are not read, so that its digest is not verified.
/// Throws Error for a file that can't be read or is no checkpoint of Lambda Studio.
CheckpointHeader readCheckpointHeader(const std::filesystem::path& path);

/// The same of a file that has been read; `place` names it in errors.
CheckpointHeader checkpointHeaderOf(const SafeTensors& file, const std::string& place);

}  // namespace lambda
