#pragma once

#include <filesystem>
#include <string>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/tensors/safetensors.h"

namespace lambda {

/// What a checkpoint says of itself; its digest is verified.
inline CheckpointHeader readCheckpointHeader(const std::filesystem::path& path) {
  const SafeTensors file = readSafeTensors(path);
  verifyDigest(file, path.string());
  return checkpointHeaderFromJson(file.metadata.at(std::string(kCheckpointKey)), path.string());
}

}  // namespace lambda
