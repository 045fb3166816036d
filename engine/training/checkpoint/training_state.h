#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/tensors/safetensors.h"
#include "engine/networks/inspection/inspect_network.h"
#include "engine/networks/network.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/objective.h"
#include "engine/training/resolved_config.h"
#include "engine/training/update/optimizer.h"
#include "engine/training/update/weight_average.h"
#include "engine/values/run/checkpoint_header.h"
#include "engine/values/run/non_finite.h"

namespace lambda {

class Processes;

/// Everything that a checkpoint keeps: network, optimiser, averaged weights, random generator and
/// position. In bfloat16 the network's convolutions have rounded weights, while the optimiser's
/// float32 masters are saved, averaged and inspected, see MasterWeights. With the same program,
/// device and thread count, a training that resumes from a loaded state gives the bits of a run
/// that was never interrupted. Lives on the training thread.
class TrainingState {
 public:
  /// A fresh state: weights and random numbers from the configuration's seed. It has its own random
  /// generator; LibTorch's default one is left unchanged.
  explicit TrainingState(const ResolvedConfig& resolved);

  /// A fresh state that updates on an emulated device, or by another back end than the device's.
  TrainingState(const ResolvedConfig& resolved, const UpdateOptions& updates);

  Network network;
  Optimizer optimizer;
  std::unique_ptr<WeightAverage> average;  ///< Null without averaging.
  TrainingProgress progress;
  const Objective& objective;
  EmbeddingTables initialEmbeddings;  ///< The position embeddings before the first step.
  std::string kernelObstacle;         ///< Why the GPU can't use the CUDA kernels; else empty.

  at::Device device() const { return device_; }

  /// The recipe of its steps. The precision is float32 or bfloat16.
  const Recipe& recipe() const { return recipe_; }

  /// The first tensor of the network, the optimiser or the average that holds a value that is not
  /// finite; nothing if all are finite.
  std::optional<NonFinite> firstNonFinite() const;

  /// Bytes of all tensors that save() writes.
  std::uint64_t savedBytes() const;

  /// Publishes a checkpoint. Throws Error if it can't be written; the previous file is then intact.
  void save(const std::filesystem::path& path,
            const RunConfig& config,
            const Environment& environment,
            const NetworkInput& input,
            const DataDigest& dataSha256 = {}) const;

  /// Loads a whole checkpoint of the same configuration. Throws Error if it is damaged or of
  /// another architecture or optimiser.
  void load(const std::filesystem::path& path);

  /// Gives all processes of a training the network, the optimiser's state and the averages of rank
  /// 0. Throws Error as Processes.
  void takeFromFirst(Processes& processes);

  /// Loads a checkpoint into a changed configuration: the network, the position, and those states
  /// of optimiser and average that fit the new recipe. Returns one text for each part that could
  /// not be loaded. Throws Error if the checkpoint is damaged or of another architecture.
  std::vector<std::string> loadForFork(const std::filesystem::path& path, const RunConfig& config);

 private:
  TrainingState(const RunConfig& config, const at::Device& device, const UpdateOptions& updates);
  std::vector<NamedTensor> savedTensors() const;
  void loadNetwork(const SafeTensors& file, const std::string& place);
  void loadRandom(const SafeTensors& file, const std::string& place);

  Recipe recipe_;
  at::Device device_;
};

/// Reads the header of a checkpoint and verifies the digest of the file. Throws Error naming it.
CheckpointHeader readVerifiedHeader(const std::filesystem::path& path);

/// The progress in an intact checkpoint; nothing if it is missing or damaged.
std::optional<TrainingProgress> progressIn(const std::filesystem::path& checkpoint);

/// The network of a checkpoint for evaluation or inspection.
struct LoadedNetwork {
  Network network{nullptr};
  CheckpointHeader header;
  bool areAveraged = false;  ///< The weights are the run's moving average.
  bool isVerified = true;    ///< False: a file of exported weights, which has no digest.
  EmbeddingTables initialEmbeddings;
};

/// Loads the network of a checkpoint, averaged weights if the run kept them, or of a file of
/// exported weights: in evaluation mode, float32 on the device. Random generators are unchanged.
/// Throws Error for a damaged checkpoint.
LoadedNetwork loadNetwork(const std::filesystem::path& path, const at::Device& device);

}  // namespace lambda
