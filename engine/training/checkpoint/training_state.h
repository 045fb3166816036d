#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/tensors/safetensors.h"
#include "engine/inspection/inspect_network.h"
#include "engine/networks/network.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/resolved_config.h"
#include "engine/training/update/optimizer.h"
#include "engine/training/update/weight_average.h"
#include "engine/values/checkpoint_header.h"
#include "engine/values/non_finite.h"

namespace lambda {

/// Everything that a checkpoint keeps: network, optimiser, averaged weights, random generator and
/// position. Where it trains in bfloat16 the network's convolutions have rounded weights; those
/// that are saved, averaged and inspected are the optimiser's float32 masters, see MasterWeights.
/// With the same program, device and thread count, training on from a loaded state gives the bits
/// of a run that was never interrupted. Lives on the training thread.
class TrainingState {
 public:
  /// A fresh state: weights and random numbers from the configuration's seed. It draws from a
  /// generator of its own; LibTorch's default one is as before.
  explicit TrainingState(const ResolvedConfig& resolved);

  /// With updates on an emulated device, or by another back end than the device's.
  TrainingState(const ResolvedConfig& resolved, const UpdateOptions& updates);

  Network network;
  Optimizer optimizer;
  std::unique_ptr<WeightAverage> average;  ///< Null without averaging.
  TrainingProgress progress;
  EmbeddingTables initialEmbeddings;  ///< The position embeddings before the first step.
  std::string kernelObstacle;  ///< Why its GPU does without the CUDA kernels; empty = it doesn't.

  at::Device device() const { return device_; }

  /// What its steps go by. The precision is float32 or bfloat16.
  const Recipe& recipe() const { return recipe_; }

  /// The first value that save() would write and that is not finite, of the network, the optimiser
  /// or the average; nothing if all are finite.
  std::optional<NonFinite> firstNonFinite() const;

  /// Bytes of all tensors that save() writes.
  std::uint64_t savedBytes() const;

  /// Publishes a checkpoint. Throws Error; the previous file is then still whole.
  void save(const std::filesystem::path& path,
            const RunConfig& config,
            const Environment& environment) const;

  /// Loads all of a checkpoint of the same configuration. Throws Error if it is damaged or
  /// another's.
  void load(const std::filesystem::path& path);

  /// Loads a checkpoint into a changed configuration: the network, the position, and what of
  /// optimiser and average fits the new recipe. Returns what could not be taken over.
  std::vector<std::string> loadForFork(const std::filesystem::path& path, const RunConfig& config);

 private:
  TrainingState(const RunConfig& config, const at::Device& device, const UpdateOptions& updates);
  std::vector<NamedTensor> savedTensors() const;
  void loadNetwork(const SafeTensors& file, const std::string& place);
  void loadRandom(const SafeTensors& file, const std::string& place);

  Recipe recipe_;
  at::Device device_;
};

/// The header of a checkpoint whose digest is verified. Throws Error naming the file.
CheckpointHeader readVerifiedHeader(const std::filesystem::path& path);

/// The network of a checkpoint for evaluation or inspection: averaged weights where the run kept
/// them, in evaluation mode, float32 on the device. Random generators are as before.
struct LoadedNetwork {
  Network network{nullptr};
  CheckpointHeader header;
  bool areAveraged = false;  ///< Its weights are the run's moving average.
  EmbeddingTables initialEmbeddings;
};

LoadedNetwork loadNetwork(const std::filesystem::path& path, const at::Device& device);

}  // namespace lambda
