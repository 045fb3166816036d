#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/formats/tensors/weights_metadata.h"

namespace lambda {

/// Which of a checkpoint's weights to use.
enum class WeightsChoice {
  evaluated,  ///< The averaged weights if the run kept an average; they were scored.
  raw,        ///< The weights that the optimiser updates.
};

/// A network's weights and running statistics, read from a checkpoint or a file of exported
/// weights.
struct Weights {
  /// Tensors under the module's names, "stage1.block1.mixer.query.weight", without metadata.
  SafeTensors file;
  CheckpointHeader header;
  bool averaged = false;    ///< They are the run's moving average.
  bool exported = false;    ///< They were read from a file of exported weights.
  std::int64_t values = 0;  ///< In all tensors, including running statistics.
};

/// Whether a file that has a checkpoint's header has only exported weights. Such a file has no
/// digest, so that damage to its values can't be detected.
bool isExportedWeights(const SafeTensors& file);

/// Reads a checkpoint of Lambda Studio and verifies its digest, or reads a file of exported
/// weights, of which all choices are the same. Throws Error for any other file.
Weights readWeights(const std::filesystem::path& checkpoint, WeightsChoice choice);

/// The same of a file that is already in memory; `place` names it in errors.
Weights weightsIn(const SafeTensors& file, const std::string& place, WeightsChoice choice);

/// Publishes the weights with metadataOf() the description as a safetensors file without a digest,
/// identical byte for byte to that of the reference writer: the same weights and description give
/// the same file. Throws Error.
void writeWeights(const std::filesystem::path& path,
                  const Weights& weights,
                  const WeightsDescription& description);

}  // namespace lambda
