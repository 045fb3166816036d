#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/formats/tensors/safetensors.h"

namespace lambda {

/// Which of a checkpoint's weights to use.
enum class WeightsChoice {
  evaluated,  ///< The averaged weights if the run kept an average; they were scored.
  raw,        ///< The weights that the optimiser updates.
};

/// A network's weights and running statistics, read from a checkpoint.
struct Weights {
  SafeTensors file;  ///< Tensors under the module's names, "stage1.block1.mixer.query.weight".
  bool averaged = false;
  std::int64_t parameters = 0;  ///< Values in all tensors, including running statistics.
};

/// Reads a checkpoint of Lambda Studio and verifies its digest. The metadata are "format": "pt",
/// which Python's loaders require, and "architecture", the network's JSON document.
/// Throws Error for a file that is not a complete checkpoint.
Weights readWeights(const std::filesystem::path& checkpoint, WeightsChoice choice);

/// Publishes the weights as a safetensors file without a digest, identical byte for byte to that of
/// the reference writer: the same weights give the same file. Throws Error.
void writeWeights(const std::filesystem::path& path, const Weights& weights);

}  // namespace lambda
