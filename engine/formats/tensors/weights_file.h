#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/formats/tensors/safetensors.h"

namespace lambda {

/// Which of a checkpoint's weights to take.
enum class WeightsChoice {
  evaluated,  ///< The averaged weights where the run kept an average: what was scored.
  raw,        ///< Those that the optimiser works on.
};

/// A network's weights and running statistics taken out of a checkpoint.
struct Weights {
  SafeTensors file;  ///< Tensors under the module's names, "stage1.block1.mixer.query.weight".
  bool averaged = false;
  std::int64_t parameters = 0;  ///< Values in all of the tensors, statistics included.
};

/// Reads a checkpoint of Lambda Studio and verifies its digest. The metadata are "format": "pt",
/// which Python's loaders ask for, and "architecture", the network's JSON document.
/// Throws Error for a file that is no whole checkpoint.
Weights readWeights(const std::filesystem::path& checkpoint, WeightsChoice choice);

/// Publishes the weights as a safetensors file without a digest, byte for byte what the reference
/// writer makes of them: the same weights give the same file. Throws Error.
void writeWeights(const std::filesystem::path& path, const Weights& weights);

}  // namespace lambda
