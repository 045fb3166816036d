#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Weights from anywhere, as the start of a network.
struct ForeignWeights {
  SafeTensors file;
  NetworkInput input = {};  ///< Nothing where the file does not have it.
  std::string place;        ///< For messages.
  std::string sha256 = {};  ///< Of the file's bytes, in hexadecimal digits.
  std::string entry = {};   ///< Where the tensors are in a checkpoint of PyTorch; else empty.
};

/// Reads a checkpoint of Lambda Studio (its averaged weights if the run kept them), exported
/// weights, another safetensors file, or a state dictionary of PyTorch (readStateDict()). Throws
/// Error for any other file and for damage.
ForeignWeights readForeignWeights(const std::filesystem::path& path);

/// Whether a file begins as one that readForeignWeights() reads. Throws Error where it can't be
/// read.
bool beginsAsWeights(const std::filesystem::path& path);

struct TensorShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// The tensors of a file that become tensors of a network.
struct WeightTransfer {
  struct Taken {
    std::string target;  ///< In the network.
    std::string source;  ///< In the file.
  };

  struct Left {
    std::string name;
    std::string reason;
  };

  std::vector<Taken> taken = {};  ///< In the network's order.
  std::vector<Left> left = {};    ///< Tensors of the file that are not used, in their order.
  std::vector<std::string> missing =
      {};                   ///< Tensors of the network that keep their initial values.
  std::string entry = {};   ///< As in ForeignWeights.
  std::string prefix = {};  ///< What the names of taken tensors begin with: "module.".

  /// "takes 318 of the network's 320 tensors from its entry state_dict, with names that begin with
  /// module.; 2 keep their initial values: head.weight, head.bias; left out of the file: ...".
  /// Lists are cut off after a few names.
  std::string summary() const;
};

/// Finds each of the network's tensors in the file, by the names of torchNamesOf(), alone or after
/// that prefix of sharedPrefixes() which finds the most. Only tensors of the same shape, apart from
/// ones at its ends, are taken. The head (its tensors' names begin with
/// "head.") is left where the file's classes have other names than the network's. Throws Error,
/// naming the file, if it has no tensor for the network.
WeightTransfer planTransfer(const ForeignWeights& weights,
                            const std::vector<TensorShape>& network,
                            const std::vector<std::string>& classNames);

}  // namespace lambda
