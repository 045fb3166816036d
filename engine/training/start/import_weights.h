#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// Weights of another program, to be written as exported weights of this one.
struct ImportJob {
  std::filesystem::path weights;  ///< As for readForeignWeights().
  /// The run whose network takes them, with its data and its seed; nothing: a lambda layer alone
  /// becomes a network of a stem, that layer and a head.
  std::optional<RunConfig> network = std::nullopt;
  /// The checkpoint with the network's other weights; nothing: they are drawn from the seed.
  std::optional<std::filesystem::path> base = std::nullopt;
  std::string layer = {};    ///< For a lambda layer: "stage3.block1.mixer"; empty: the one it fits.
  bool withoutBias = false;  ///< Leave out the bias of a lambda convolution instead of refusing it.
  std::filesystem::path out;
};

struct ImportReport {
  WeightTransfer transfer;  ///< Of a lambda layer: its tensors alone.
  std::string library;      ///< Of a lambda layer: "timm" or "lucidrains"; else empty.
  std::string layer;        ///< The layer that took it.
};

/// Imports weights of a whole network as startFrom() does, or a lambda layer of timm or lucidrains
/// into a layer of a network, whose other weights stay. The file written can be evaluated,
/// inspected and started from. Throws Error for weights that can't be read, do not fit, or belong to
/// a layer that computes otherwise, and as PreparedRun::fresh().
ImportReport importWeights(const ImportJob& job);

}  // namespace lambda
