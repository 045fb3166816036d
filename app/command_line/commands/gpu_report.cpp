#include "app/command_line/commands/gpu_report.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/runtime/device.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

std::string capabilityOf(const Gpu& gpu) {
  return std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
}

std::string driverText(const CudaDriver& driver) {
  std::string text = driver.version.empty() ? "of unknown version" : driver.version;
  if (driver.newestCuda > 0) text += ", for CUDA up to " + cudaVersionText(driver.newestCuda);
  return text;
}

std::string gpuText(const Gpu& gpu) {
  std::string text = gpu.name + ", compute capability " + capabilityOf(gpu) + ", " +
                     formatBytes(static_cast<std::int64_t>(gpu.memoryBytes));
  if (gpu.freeBytes)
    text += ", " + formatBytes(static_cast<std::int64_t>(*gpu.freeBytes)) + " free";
  return text;
}

/// GPUs that the same kernels serve.
struct Group {
  std::vector<CudaSupport> support;
  std::string gpus;  ///< "cuda:0, cuda:2"
};

bool haveSameObstacles(const std::vector<CudaSupport>& a, const std::vector<CudaSupport>& b) {
  return std::ranges::equal(a, b, {}, &CudaSupport::obstacle, &CudaSupport::obstacle);
}

std::vector<Group> groupsOf(const GpuReport& report) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < report.support.size(); ++i) {
    const std::string gpu = gpuName(static_cast<int>(i));
    const auto found = std::ranges::find_if(groups, [&](const Group& group) {
      return haveSameObstacles(group.support, report.support[i]);
    });
    if (found == groups.end()) {
      groups.push_back({report.support[i], gpu});
    } else {
      found->gpus += ", " + gpu;
    }
  }
  return groups;
}

void append(std::string& list, const std::string& next) {
  list += (list.empty() ? "" : ", ") + next;
}

/// The parts that a group has kernels for, where these fall back even so, and the parts that fall
/// back always, with the reason. Neighbours with the same reason share a line.
void addGroup(FactList& facts, const Group& group, bool isOnly) {
  const std::string place = isOnly ? "" : " on " + group.gpus;
  std::string served, limits;
  for (const CudaSupport& each : group.support) {
    if (!each.isServed()) continue;
    append(served, each.part);
    const std::string limit = std::string(each.limits) + " (" + each.fallback + ")";
    if (*each.limits != '\0' && limits.find(limit) == std::string::npos) append(limits, limit);
  }
  if (!served.empty()) facts.add("CUDA kernels" + place, served);
  if (!limits.empty()) facts.add("  except for", limits);
  for (std::size_t i = 0; i < group.support.size(); ++i) {
    const CudaSupport& first = group.support[i];
    if (first.isServed()) continue;
    std::string parts = first.part;
    while (i + 1 < group.support.size() && group.support[i + 1].obstacle == first.obstacle) {
      append(parts, group.support[++i].part);
    }
    facts.add("no CUDA kernels" + place, parts + ": " + first.obstacle);
  }
}

Json supportJson(const std::vector<CudaSupport>& support) {
  Json parts = Json::array();
  for (const CudaSupport& each : support) {
    parts.push_back({{"part", each.part},
                     {"served", each.isServed()},
                     {"reason", each.obstacle},
                     {"limits", each.limits},
                     {"fallback", each.fallback}});
  }
  return parts;
}

Json versionJson(int cuda) {
  return cuda > 0 ? Json(cudaVersionText(cuda)) : Json();
}

}  // namespace

GpuReport gpuReport() {
  GpuReport report{cudaFacts(), {}};
  if (cudaObstacle(report.facts)) return report;
  for (int gpu = 0; gpu < report.facts.torch.gpus; ++gpu) {
    report.support.push_back(cudaSupportOf(gpu));
  }
  return report;
}

void addGpuFacts(FactList& facts, const GpuReport& report) {
  const CudaDriver& driver = report.facts.driver;
  if (const auto obstacle = cudaObstacle(report.facts)) facts.add("for a GPU", obstacle->remedy);
  if (driver.isOpen) facts.add("NVIDIA driver", driverText(driver));
  for (std::size_t i = 0; i < driver.gpus.size(); ++i) {
    facts.add(gpuName(static_cast<int>(i)), gpuText(driver.gpus[i]));
  }
  const std::vector<Group> groups = groupsOf(report);
  for (const Group& group : groups) addGroup(facts, group, groups.size() == 1);
}

Json gpuJson(const GpuReport& report) {
  const CudaFacts& facts = report.facts;
  Json gpus = Json::array();
  for (std::size_t i = 0; i < facts.driver.gpus.size(); ++i) {
    const Gpu& gpu = facts.driver.gpus[i];
    gpus.push_back(
        {{"device", gpuName(static_cast<int>(i))},
         {"name", gpu.name},
         {"computeCapability", capabilityOf(gpu)},
         {"memoryBytes", gpu.memoryBytes},
         {"freeBytes", gpu.freeBytes ? Json(*gpu.freeBytes) : Json()},
         {"kernels", i < report.support.size() ? supportJson(report.support[i]) : Json::array()}});
  }
  const std::optional<CudaObstacle> obstacle = cudaObstacle(facts);
  return {{"usable", !obstacle},
          {"reason", obstacle ? obstacle->reason : ""},
          {"remedy", obstacle ? obstacle->remedy : ""},
          {"driver", facts.driver.version},
          {"driverCuda", versionJson(facts.driver.newestCuda)},
          {"torchCuda", versionJson(facts.torch.version)},
          {"gpus", std::move(gpus)}};
}

}  // namespace lambda
