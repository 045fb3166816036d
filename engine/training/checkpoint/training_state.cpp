#include "engine/training/checkpoint/training_state.h"

#include <ATen/Context.h>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/formats/tensors/weights_file.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/networks/inspection/first_nonfinite.h"
#include "engine/runtime/borrowed_generator.h"
#include "engine/runtime/error.h"
#include "engine/runtime/processes/processes.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

constexpr const char* kModelPrefix = "model.";
constexpr const char* kOptimizerPrefix = "optimizer.";
constexpr const char* kAveragePrefix = "average.";
constexpr const char* kInitialPrefix = "initial.";

const char* randomName(const at::Device& device) {
  return device.is_cuda() ? "rng.cuda" : "rng.cpu";
}

at::Generator seededGenerator(const at::Device& device, std::uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
}

Network buildNetwork(const RunConfig& config, const at::Device& device) {
  BorrowedGenerator generator;
  generator.seed(config.seed);
  Network network(config.architecture);
  if (config.start.pairedDraws) {
    drawByName(*network, config.seed);
    generator.seed(config.seed);
  }
  network->freezeStages(config.start.frozenStages);
  network->drawFrom(device.is_cuda() ? seededGenerator(device, config.seed) : generator.copy());
  network->to(device);
  if (config.recipe.channelsLast) {
    for (at::Tensor& parameter : network->parameters()) {
      if (parameter.dim() != 4) continue;
      parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
  return network;
}

const CudaKernels* kernelsFor(const at::Device& device) {
  return device.is_cuda() ? cudaKernelsFor(device) : nullptr;
}

SafeTensors readVerified(const std::filesystem::path& path) {
  SafeTensors file = readSafeTensors(path);
  verifyDigest(file, path.string());
  return file;
}

EmbeddingTables storedEmbeddings(const SafeTensors& file, const std::string& place) {
  EmbeddingTables tables;
  const std::string_view prefix = kInitialPrefix;
  for (const TensorView& view : file.tensors) {
    if (view.name.starts_with(prefix)) {
      tables.emplace(view.name.substr(prefix.size()), toTensor(view, place));
    }
  }
  return tables;
}

/// All parameters and buffers of the network, with the masters in place of rounded weights.
std::vector<NamedTensor> masterStateOf(const Network& network, const Optimizer& optimizer) {
  std::vector<NamedTensor> state = stateOf(*network);
  for (std::size_t i = 0; i < optimizer.parameters().size(); ++i) {
    state[i].tensor = optimizer.parameters()[i].master;
  }
  return state;
}

bool hasAll(const SafeTensors& file, const std::vector<NamedTensor>& targets) {
  for (const NamedTensor& target : targets) {
    if (file.find(target.name) == nullptr) return false;
  }
  return true;
}

}  // namespace

TrainingState::TrainingState(const ResolvedConfig& resolved)
    : TrainingState(resolved,
                    {.precision = resolved.config().recipe.precision,
                     .backboneRate = resolved.config().start.backboneRate,
                     .kernels = kernelsFor(torchDevice(resolved.device()))}) {}

TrainingState::TrainingState(const ResolvedConfig& resolved, const UpdateOptions& updates)
    : TrainingState(resolved.config(), torchDevice(resolved.device()), updates) {}

TrainingState::TrainingState(const RunConfig& config,
                             const at::Device& device,
                             const UpdateOptions& updates)
    : network(buildNetwork(config, device)),
      optimizer(config.recipe.optimizer, *network, updates),
      objective(objectiveOf(config.architecture.task)),
      initialEmbeddings(embeddingTablesOf(network)),
      kernelObstacle(cudaKernelsObstacle(device)),
      recipe_(config.recipe),
      device_(device) {
  progress.scoredBy = traitsOf(config.architecture.task).score;
  // Otherwise some of cuDNN's convolution gradients differ from run to run.
  if (device_.is_cuda()) at::globalContext().setDeterministicCuDNN(true);
  if (config.recipe.emaDecay > 0) {
    const MasterWeights averaged(optimizer);
    average = std::make_unique<WeightAverage>(config.recipe.emaDecay, *network);
  }
}

std::vector<NamedTensor> TrainingState::savedTensors() const {
  std::vector<NamedTensor> tensors = prefixed(kModelPrefix, masterStateOf(network, optimizer));
  const auto append = [&tensors](const std::vector<NamedTensor>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  append(prefixed(kOptimizerPrefix, optimizer.state()));
  if (average) append(prefixed(kAveragePrefix, average->state()));
  for (const auto& [name, table] : initialEmbeddings) append({{kInitialPrefix + name, table}});
  append({{randomName(device_), network->random()->get_state()}});
  return tensors;
}

std::optional<NonFinite> TrainingState::firstNonFinite() const {
  if (const std::optional<NonFinite> found = firstNonFiniteState(network)) return found;
  const auto search = [](const std::vector<NamedTensor>& tensors,
                         const char* owner) -> std::optional<NonFinite> {
    for (const NamedTensor& each : tensors) {
      const std::string text = nonFiniteText(each.tensor, "values of " + each.name);
      if (!text.empty()) return NonFinite{owner, text};
    }
    return std::nullopt;
  };
  if (const auto found = search(optimizer.state(), "the state of the optimiser")) return found;
  return average ? search(average->state(), "the averaged weights") : std::nullopt;
}

std::uint64_t TrainingState::savedBytes() const {
  std::uint64_t bytes = 0;
  for (const NamedTensor& each : savedTensors()) bytes += each.tensor.nbytes();
  return bytes;
}

void TrainingState::save(const std::filesystem::path& path,
                         const RunConfig& config,
                         const Environment& environment,
                         const NetworkInput& input,
                         const DataDigest& dataSha256) const {
  saveTensors(path,
              savedTensors(),
              {{std::string(kCheckpointKey),
                toJson(CheckpointHeader{progress, environment, config, input, dataSha256})}});
}

void TrainingState::loadNetwork(const SafeTensors& file, const std::string& place) {
  for (const NamedTensor& target : prefixed(kModelPrefix, masterStateOf(network, optimizer))) {
    loadInto(file, place, target);
  }
  for (const UpdatedParameter& each : optimizer.parameters()) each.round();
  initialEmbeddings = storedEmbeddings(file, place);
}

void TrainingState::loadRandom(const SafeTensors& file, const std::string& place) {
  const TensorView* stored = file.find(randomName(device_));
  // A run that moves to another kind of device has no state for it and starts from the seed.
  if (stored == nullptr) return;
  at::Generator generator = *network->random();
  const at::Tensor state = toTensor(*stored, place);
  if (state.scalar_type() != at::kByte || state.sizes() != generator.get_state().sizes()) {
    throw Error(place,
                std::string("the state of the random generator in ") + randomName(device_) +
                    " has another size than this LibTorch's",
                "it was written with another version of LibTorch: use that version");
  }
  generator.set_state(state);
}

void TrainingState::load(const std::filesystem::path& path) {
  const SafeTensors file = readVerified(path);
  const std::string place = path.string();
  const CheckpointHeader header = checkpointHeaderOf(file, place);
  loadNetwork(file, place);
  for (const NamedTensor& target : prefixed(kOptimizerPrefix, optimizer.state())) {
    loadInto(file, place, target);
  }
  if (average) {
    for (const NamedTensor& target : prefixed(kAveragePrefix, average->state())) {
      loadInto(file, place, target);
    }
  }
  loadRandom(file, place);
  progress = header.progress;
}

void TrainingState::takeFromFirst(Processes& processes) {
  std::vector<at::Tensor> tensors;
  const auto append = [&tensors](const std::vector<NamedTensor>& named) {
    for (const NamedTensor& each : named) tensors.push_back(each.tensor);
  };
  append(masterStateOf(network, optimizer));
  append(optimizer.state());
  if (average) append(average->state());
  processes.takeFromFirst(tensors);
  for (const UpdatedParameter& each : optimizer.parameters()) each.round();
}

std::vector<std::string> TrainingState::loadForFork(const std::filesystem::path& path,
                                                    const RunConfig& config) {
  const SafeTensors file = readVerified(path);
  const std::string place = path.string();
  const CheckpointHeader header = checkpointHeaderOf(file, place);
  std::vector<std::string> left;
  loadNetwork(file, place);
  const auto take = [&](const std::vector<NamedTensor>& targets, const char* what) {
    if (!hasAll(file, targets)) {
      left.emplace_back(what);
      return;
    }
    for (const NamedTensor& target : targets) loadInto(file, place, target);
  };
  take(prefixed(kOptimizerPrefix, optimizer.state()),
       "the optimiser's state, which starts from zero");
  if (average && header.config.recipe.emaDecay > 0) {
    take(prefixed(kAveragePrefix, average->state()),
         "the averaged weights, which start from the network's weights");
  } else if (average) {
    const MasterWeights averaged(optimizer);
    average = std::make_unique<WeightAverage>(config.recipe.emaDecay, *network);
  }
  loadRandom(file, place);
  progress = header.progress;
  // These belong to the parent run, to its split and its metrics file.
  progress.bestValidationScore.reset();
  progress.bestValidationLoss.reset();
  progress.bestEpoch = 0;
  progress.changes = 0;
  progress.metricsBytes = 0;
  return left;
}

CheckpointHeader readVerifiedHeader(const std::filesystem::path& path) {
  return checkpointHeaderOf(readVerified(path), path.string());
}

std::optional<TrainingProgress> progressIn(const std::filesystem::path& checkpoint) {
  std::error_code error;
  if (!std::filesystem::exists(checkpoint, error)) return std::nullopt;
  try {
    return readVerifiedHeader(checkpoint).progress;
  } catch (const Error&) {
    return std::nullopt;
  }
}

LoadedNetwork loadNetwork(const std::filesystem::path& path, const at::Device& device) {
  const SafeTensors file = readSafeTensors(path);
  const std::string place = path.string();
  LoadedNetwork loaded;
  loaded.header = checkpointHeaderOf(file, place);
  loaded.isVerified = !isExportedWeights(file);
  if (loaded.isVerified) verifyDigest(file, place);
  {
    const BorrowedGenerator generator;
    loaded.network = Network(loaded.header.config.architecture);
  }
  loaded.network->to(device);
  loaded.areAveraged = loaded.isVerified && loaded.header.config.recipe.emaDecay > 0;
  const std::string prefix = !loaded.isVerified   ? ""
                             : loaded.areAveraged ? kAveragePrefix
                                                  : kModelPrefix;
  for (const NamedTensor& target : prefixed(prefix, stateOf(*loaded.network))) {
    loadInto(file, place, target);
  }
  loaded.initialEmbeddings = storedEmbeddings(file, place);
  loaded.network->eval();
  return loaded;
}

}  // namespace lambda
