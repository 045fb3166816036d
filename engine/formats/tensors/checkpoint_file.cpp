#include "engine/formats/tensors/checkpoint_file.h"

#include <map>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

CheckpointHeader headerIn(const std::map<std::string, std::string>& metadata,
                          const std::string& place) {
  const auto text = metadata.find(std::string(kCheckpointKey));
  if (text == metadata.end()) {
    throw Error(place,
                "this safetensors file is not a checkpoint of Lambda Studio",
                "give a file from a run's checkpoints folder, or weights that were exported");
  }
  return checkpointHeaderFromJson(text->second, place);
}

}  // namespace

CheckpointHeader readCheckpointHeader(const std::filesystem::path& path) {
  return headerIn(readSafeTensorsMetadata(path), path.string());
}

bool isCheckpoint(const SafeTensors& file) {
  return file.metadata.contains(std::string(kCheckpointKey));
}

CheckpointHeader checkpointHeaderOf(const SafeTensors& file, const std::string& place) {
  return headerIn(file.metadata, place);
}

}  // namespace lambda
