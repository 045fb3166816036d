#include "engine/training/processes/follower.h"

#include <memory>
#include <optional>
#include <sstream>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/processes/rank_device.h"
#include "engine/training/loop/epoch_scoring.h"
#include "engine/training/loop/steps.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/processes/team.h"
#include "engine/training/start/prepared_run.h"

namespace lambda {

namespace {

/// What each rank says of itself, a line each.
std::vector<RankRecord> recordsOf(const std::vector<std::string>& texts) {
  std::vector<RankRecord> records;
  for (const std::string& text : texts) {
    RankRecord record;
    std::istringstream lines(text);
    std::getline(lines, record.host);
    std::getline(lines, record.device);
    lines >> record.threads;
    records.push_back(record);
  }
  return records;
}

/// The part of the start that all ranks do together.
std::vector<RankRecord> meet(Processes& processes,
                             const ComputeDevice& device,
                             TrainingData& data,
                             TrainingState& state) {
  connectDevices(processes, device);
  requireSameDigests(processes, "training", data.digest());
  state.takeFromFirst(processes);
  data.choosePart({processes.rank(), processes.size()});
  return recordsOf(
      processes.fromAll(hostName() + "\n" + device.name + "\n" + std::to_string(device.threads)));
}

void follow(Processes& processes, const CheckpointHeader& header) {
  const RunConfig& config = header.config;
  const ResolvedConfig resolved = resolvedFor(config, &processes);
  const auto data = trainingDataOf(resolved, header.input);
  TrainingState state(resolved);
  state.progress = header.progress;
  meet(processes, resolved.device(), *data, state);

  Team team(processes, state, config);
  const auto ignore = [](const std::string&) {};
  Steps steps(state, *data, config.recipe, /*recorder=*/nullptr, ignore, &team);
  const auto always = [](const EvaluationProgress&) { return true; };
  EpochScoring scoring(state, *data, config.recipe, always, &team);
  while (true) {
    const Order order = team.order();
    switch (order.kind) {
      case Order::Kind::step:
        steps.follow(order);
        break;
      case Order::Kind::score:
      case Order::Kind::scoreTest:
        scoring.follow(order);
        break;
      case Order::Kind::end:
        return;
    }
  }
}

}  // namespace

ResolvedConfig resolvedFor(RunConfig config, const Processes* processes) {
  if (processes == nullptr) return ResolvedConfig(std::move(config));
  DeviceConfig device = config.device;
  if (device.threads == 0) {
    device.threads = std::max(1, availableCores() / processes->coreSharers());
  }
  if (device.kind != DeviceKind::cpu) {
    device.index = gpuOfRank(device.index, processes->launch(), cudaFacts());
  }
  const ComputeDevice chosen = selectDevice(device);
  if (chosen.kind == DeviceKind::cuda && !manyGpusObstacle().empty()) {
    throw Error("device.kind",
                "many processes can't train on GPUs: " + manyGpusObstacle(),
                "Choose the CPU with --device cpu, or train with one process.");
  }
  return {std::move(config), chosen};
}

void requireSameDigests(Processes& processes, const std::string& what, const std::string& digest) {
  const std::vector<std::string> digests = processes.fromAll(digest);
  for (std::size_t rank = 1; rank < digests.size(); ++rank) {
    if (digests[rank] == digests.front()) continue;
    throw Error("data",
                processes.places()[rank] + " has other " + what +
                    " data than rank 0: the digests are " + digests[rank] + " and " +
                    digests.front(),
                "Give all hosts the same data at the same place.");
  }
}

std::vector<RankRecord> shareTraining(Processes& processes, PreparedRun& prepared) {
  const ResolvedConfig& resolved = prepared.resolved;
  if (resolved.config().recipe.batchSize < processes.size()) {
    throw Error("recipe.batchSize",
                "a batch of " + std::to_string(resolved.config().recipe.batchSize) +
                    " can't be shared by " + std::to_string(processes.size()) + " processes",
                "Choose a larger batch, or start fewer processes.");
  }
  processes.fromFirst(toJson(CheckpointHeader{.progress = prepared.state->progress,
                                              .environment = {},
                                              .config = resolved.config(),
                                              .input = prepared.data->input(),
                                              .dataSha256 = {}}));
  return meet(processes, resolved.device(), *prepared.data, *prepared.state);
}

void followTraining(Processes& processes) {
  const CheckpointHeader header =
      checkpointHeaderFromJson(processes.fromFirst({}), processes.places().front());
  explainingFailures(
      header.config.name, header.config.recipe, [&] { return follow(processes, header); });
}

}  // namespace lambda
