#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/transfer/weight_transfer.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Weights of another program, to be written as exported weights of this one.
struct ImportJob {
  std::filesystem::path weights;  ///< As for readForeignWeights().
  /// The run whose network takes them, with its seed; nothing: a lambda layer alone becomes a
  /// network of a stem, that layer and a head, and RWKV-4 weights the network that they are of.
  std::optional<RunConfig> network = std::nullopt;
  /// The checkpoint with the network's other weights; nothing: they are drawn from the seed.
  std::optional<std::filesystem::path> base = std::nullopt;
  std::string layer = {};    ///< For a lambda layer: "stage3.block1.mixer"; empty: the one it fits.
  bool withoutBias = false;  ///< Leave out the bias of a lambda convolution instead of refusing it.
  Normalization normalization = {};  ///< What the images are normalised by; empty: see below.
  std::vector<std::string> classNames = {};  ///< Sets the number of classes; empty: see below.
  std::filesystem::path out;
  /// A file for Tokenizer, which is copied to tokenizerBeside(out); none but for tokens.
  std::optional<std::filesystem::path> tokenizer = std::nullopt;
};

struct ImportReport {
  WeightTransfer transfer;          ///< Of a lambda layer: its tensors alone.
  std::string library;              ///< Of a lambda layer: "timm" or "lucidrains"; else empty.
  std::string layer;                ///< The layer that took it.
  Architecture architecture;        ///< Of the network.
  NetworkInput input;               ///< Of images; for tokens nothing.
  bool areClassesNamed = false;     ///< False: they are called by their numbers.
  std::string normalizationSource;  ///< Where the normalisation comes from, for a sentence.
};

/// Imports weights of a whole network as startFrom() does, or a lambda layer of timm or lucidrains
/// into a layer of a network, whose other weights stay. A published RWKV-4 network
/// (rwkvNetworkIn()) is imported as a whole. The file written can be evaluated, inspected and
/// started from. No images are needed: where the job does not give the normalisation, it is that of
/// the weights if they are of this program, that of ImageNet if they have the names of torchvision
/// and timm, else that of `base`; only without all of these it is measured on the network's data.
/// Names of classes come from the job, from the weights or from `base`, or are their numbers.
/// Throws Error for weights that can't be read, do not fit, or belong to a layer that computes
/// otherwise, for a network that can't be built, and for a normalisation or names that do not fit
/// it, such as those of a network that takes tokens; for a tokenizer of another network.
ImportReport importWeights(const ImportJob& job);

}  // namespace lambda
