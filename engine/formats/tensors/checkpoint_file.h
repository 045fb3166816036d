#pragma once

#include <filesystem>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/run/checkpoint_header.h"

namespace lambda {

/// Reads the header of a checkpoint. Its tensors are not read, so its digest is not verified.
/// Throws Error for a file that can't be read or is not a checkpoint of Lambda Studio.
CheckpointHeader readCheckpointHeader(const std::filesystem::path& path);

/// Whether a safetensors file has the header of a checkpoint, which exported weights have too.
bool isCheckpoint(const SafeTensors& file);

/// The header of a file that has already been read; `place` names it in errors.
CheckpointHeader checkpointHeaderOf(const SafeTensors& file, const std::string& place);

}  // namespace lambda
