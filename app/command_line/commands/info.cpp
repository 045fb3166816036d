#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/commands/gpu_report.h"
#include "app/command_line/commands/run_info.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/command_line/text_table.h"
#include "engine/formats/json/presets.h"
#include "engine/layers/cuda/cuda_kernels_state.h"
#include "engine/runtime/device.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/processes/processes.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::optional<std::string> run;
  OutputOptions output;
};

struct Cache {
  const char* name;
  int key;
};

constexpr Cache kCaches[] = {
    {"L1", _SC_LEVEL1_DCACHE_SIZE}, {"L2", _SC_LEVEL2_CACHE_SIZE}, {"L3", _SC_LEVEL3_CACHE_SIZE}};

/// Sizes in bytes of the processor's data caches, as far as the system reports them.
std::vector<std::pair<std::string, std::uint64_t>> cacheSizes() {
  std::vector<std::pair<std::string, std::uint64_t>> sizes;
  for (const Cache& cache : kCaches) {
    const long bytes = sysconf(cache.key);
    if (bytes > 0) sizes.emplace_back(cache.name, static_cast<std::uint64_t>(bytes));
  }
  return sizes;
}

std::vector<std::string> existingPresetFolders() {
  std::vector<std::string> folders;
  for (const fs::path& folder : presetFolders()) {
    std::error_code error;
    if (fs::is_directory(folder, error)) folders.push_back(folder.string());
  }
  return folders;
}

std::string processesText(const ComputeDevice& device) {
  if (!canJoinProcesses()) return "one: this program was built without libgloo-dev";
  std::string text = "many can train together, by Gloo";
  if (device.kind == DeviceKind::cpu) return text;
  const std::string obstacle = manyGpusObstacle();
  return text + (obstacle.empty() ? ", on GPUs by NCCL" : ", on CPUs only: " + obstacle);
}

int reportMachine(bool asJson) {
  noteMissingPresets();
  const ComputeDevice device = selectDevice({});
  const GpuReport gpus = gpuReport();
  const std::vector<std::string> folders = existingPresetFolders();
  if (asJson) {
    Json caches = Json::object();
    for (const auto& [name, bytes] : cacheSizes()) caches[name] = bytes;
    printJson({{"program", programVersion()},
               {"commit", programCommit()},
               {"torch", torchVersion()},
               {"device",
                {{"kind", nameOf(device.kind)}, {"name", device.name}, {"reason", device.reason}}},
               {"cuda", gpuJson(gpus)},
               {"cudaKernels", cudaKernelsState(device)},
               {"threads", device.threads},
               {"manyProcesses", canJoinProcesses()},
               {"cores", availableCores()},
               {"cpu", processorName()},
               {"cacheBytes", caches},
               {"presetFolders", folders},
               {"presets", presetNames()}});
    return kExitOk;
  }
  FactList facts;
  facts.add("program", "Lambda Studio " + programVersion() + ", commit " + programCommit());
  const int cuda = gpus.facts.torch.version;
  facts.add("LibTorch", torchVersion() + (cuda > 0 ? ", for CUDA " + cudaVersionText(cuda) : ""));
  facts.add("device", device.reason);
  addGpuFacts(facts, gpus);
  if (gpus.support.empty()) facts.add("CUDA kernels", cudaKernelsState(device));
  facts.add("threads",
            std::to_string(device.threads) + " of " + formatCounted(availableCores(), "core"));
  facts.add("processes", processesText(device));
  facts.add("processor", processorName());
  std::string caches;
  for (const auto& [name, bytes] : cacheSizes()) {
    caches += (caches.empty() ? "" : ", ") + name + " " + formatCacheSize(bytes);
  }
  if (!caches.empty()) facts.add("caches", caches);
  for (const std::string& folder : folders) facts.add("presets", folder);
  printText(facts.text());
  return kExitOk;
}

int run(const InfoOptions& options) {
  if (!options.run) return reportMachine(options.output.json);
  const RunInfo info = readRunInfo(findRun(*options.run));
  if (options.output.json) {
    printJson(runInfoJson(info));
  } else {
    printText(runInfoText(info));
  }
  return kExitOk;
}

}  // namespace

void addInfo(CLI::App& program, Action& action) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      addCommand(program,
                 "info",
                 "Show facts about this machine and program, or about a run",
                 {{"lambda info", "versions, the device and the reason for it, all GPUs, folders"},
                  {"lambda info runs/2026-11-20_22-48-00_quickstart",
                   "a run's state, epochs and checkpoints"}});
  command->add_option("RUN", options->run, "a run folder, or the name of one in runs/");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
