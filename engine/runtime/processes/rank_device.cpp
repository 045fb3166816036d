#include "engine/runtime/processes/rank_device.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// What a rank says of its device.
struct RankDevice {
  std::string kind;
  std::string uuid;
  std::string reason;
};

std::string textOf(const ComputeDevice& device) {
  return std::string(device.kind == DeviceKind::cpu ? "the CPU" : "a GPU") + "\n" + device.uuid +
         "\n" + device.reason;
}

RankDevice deviceIn(const std::string& text) {
  std::istringstream lines(text);
  RankDevice device;
  std::getline(lines, device.kind);
  std::getline(lines, device.uuid);
  std::getline(lines, device.reason);
  return device;
}

}  // namespace

int gpuOfRank(int first, const Launch& launch, const CudaFacts& facts) {
  const int gpus = facts.torch.gpus;
  const bool hasItsOwn = gpus == 1 && facts.visibleGpus;
  // Where the first rank of a host has no GPU, this is no matter of many ranks.
  if (gpus == 0 || hasItsOwn || launch.localRank == 0) return first;
  const int gpu = first + launch.localRank;
  if (gpu < gpus) return gpu;
  throw Error("device",
              "rank " + std::to_string(launch.rank) + " on " + hostName() + " needs " +
                  gpuName(gpu) + ", a GPU of its own, but this host has only " +
                  std::to_string(gpus),
              "Start no more processes on a host than it has GPUs, or choose the CPU with --device "
              "cpu.");
}

void connectDevices(Processes& processes, const ComputeDevice& device) {
  const std::vector<std::string>& places = processes.places();
  const std::vector<std::string> texts = processes.fromAll(textOf(device));
  const RankDevice first = deviceIn(texts.front());
  std::map<std::string, std::string> owners;  // The place of the rank that has a GPU.
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const RankDevice own = deviceIn(texts[rank]);
    if (own.kind != first.kind) {
      throw Error("device.kind",
                  places[rank] + " computes on " + own.kind + " (" + own.reason + "), but " +
                      places.front() + " on " + first.kind + " (" + first.reason + ")",
                  "Choose one for all, with --device cpu or --device cuda.");
    }
    if (own.uuid.empty()) continue;
    const auto [owner, isNew] = owners.emplace(own.uuid, places[rank]);
    if (isNew) continue;
    throw Error("device",
                places[rank] + " has the same GPU as " + owner->second + ": " + own.reason,
                "Start no more processes on a host than it has GPUs, and let CUDA_VISIBLE_DEVICES "
                "show each a GPU of its own, or all of them.");
  }
  if (device.kind == DeviceKind::cuda) processes.connectGpu(device.index);
}

}  // namespace lambda
