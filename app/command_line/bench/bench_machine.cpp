#include "app/command_line/bench/bench_machine.h"

#include <cstdlib>

#include "app/command_line/text_table.h"
#include "engine/runtime/device.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

/// Environment variables that change the speed of LibTorch and its libraries.
constexpr const char* kVariables[] = {"OMP_NUM_THREADS",
                                      "OMP_PROC_BIND",
                                      "OMP_WAIT_POLICY",
                                      "GOMP_CPU_AFFINITY",
                                      "GOMP_SPINCOUNT",
                                      "MKL_NUM_THREADS",
                                      "MKL_ENABLE_INSTRUCTIONS",
                                      "ONEDNN_MAX_CPU_ISA",
                                      "DNNL_MAX_CPU_ISA",
                                      "ATEN_CPU_CAPABILITY",
                                      "LD_PRELOAD",
                                      "CUDA_VISIBLE_DEVICES",
                                      "NVIDIA_TF32_OVERRIDE",
                                      "PYTORCH_ALLOC_CONF",
                                      "MALLOC_ARENA_MAX"};

Json peaksJson(const std::vector<InstructionSetPeak>& peaks) {
  Json json = Json::object();
  for (const InstructionSetPeak& peak : peaks) json[peak.name] = peak.flopsPerSecond;
  return json;
}

/// null for a rate that this machine does not have.
Json rateJson(double rate) {
  return rate > 0 ? Json(rate) : Json();
}

Json gemmJson(double float32, double bfloat16) {
  return {{"float32", float32}, {"bfloat16", rateJson(bfloat16)}};
}

Json ceilingsJson(const MachineCeilings& ceilings) {
  const LowestCeilings& lowest = ceilings.lowest;
  return {{"device", ceilings.device.name},
          {"threads", ceilings.device.threads},
          {"multiplyAddFlops", peaksJson(ceilings.multiplyAdd)},
          {"bfloat16Flops", peaksJson(ceilings.bfloat16)},
          {"gemmFlops", gemmJson(ceilings.gemmFloat32, ceilings.gemmBfloat16)},
          {"copyBytes", ceilings.copyBandwidth},
          {"measurements", ceilings.measurements},
          {"lowest",
           {{"multiplyAddFlops", lowest.multiplyAdd},
            {"bfloat16Flops", rateJson(lowest.bfloat16)},
            {"gemmFlops", gemmJson(lowest.gemmFloat32, lowest.gemmBfloat16)},
            {"copyBytes", lowest.copyBandwidth}}}};
}

/// By how much the lowest of all measurements is below the highest: "4 %, "; empty for a rate that
/// this machine does not have.
std::string spreadText(double lowest, double highest) {
  return highest > 0 ? formatPercent(1 - lowest / highest, /*decimals=*/0) + ", " : std::string();
}

std::string spreadText(const MachineCeilings& ceilings) {
  if (ceilings.measurements < 2) return {};
  const LowestCeilings& lowest = ceilings.lowest;
  return "; highest of " + std::to_string(ceilings.measurements) +
         " measurements, the lowest are below by " +
         spreadText(lowest.multiplyAdd, ceilings.multiplyAddPeak()) +
         spreadText(lowest.bfloat16, MachineCeilings::highestOf(ceilings.bfloat16)) +
         spreadText(lowest.gemmFloat32, ceilings.gemmFloat32) +
         spreadText(lowest.gemmBfloat16, ceilings.gemmBfloat16) + "and " +
         formatPercent(1 - lowest.copyBandwidth / ceilings.copyBandwidth, /*decimals=*/0);
}

/// "multiply-adds AVX3 123, AVX2 60; ", in GFLOP/s; empty without peaks.
std::string peaksText(const char* what, const std::vector<InstructionSetPeak>& peaks) {
  if (peaks.empty()) return {};
  std::string text;
  for (const InstructionSetPeak& peak : peaks) {
    text += (text.empty() ? std::string(what) : ",") + " " + peak.name + " " +
            formatFixed(peak.flopsPerSecond / 1e9, 0);
  }
  return text + "; ";
}

std::string ceilingsText(const MachineCeilings& ceilings) {
  return peaksText("multiply-adds", ceilings.multiplyAdd) +
         peaksText("bfloat16", ceilings.bfloat16) + "GEMM " +
         formatFixed(ceilings.gemmFloat32 / 1e9, 0) +
         (ceilings.gemmBfloat16 > 0 ? ", bfloat16 " + formatFixed(ceilings.gemmBfloat16 / 1e9, 0)
                                    : std::string()) +
         " GFLOP/s; copy " + formatFixed(ceilings.copyBandwidth / 1e9, 0) + " GB/s" +
         spreadText(ceilings);
}

}  // namespace

BenchMachine::BenchMachine(const ComputeDevice& device)
    : device_(device), environment_(currentEnvironment(device)) {}

ComputeDevice BenchMachine::deviceWith(int threads) const {
  ComputeDevice device = device_;
  device.threads = threads;
  return device;
}

void BenchMachine::measureCeilings(int threads) {
  const MachineCeilings measured = lambda::measureCeilings(deviceWith(threads));
  const auto [found, isNew] = ceilings_.emplace(threads, measured);
  if (!isNew) found->second.add(measured);
}

std::vector<std::string> BenchMachine::warnings() const {
  std::vector<std::string> warnings = found_;
  const std::optional<LoadShares> load = load_.shares();
  if (!load) {
    warnings.emplace_back("the system does not report whether other programs used the cores");
  } else if (load->disturbs()) {
    warnings.push_back("others used the cores: other processes had " + formatPercent(load->others) +
                       " of their time, other virtual machines " + formatPercent(load->stolen) +
                       "; above 5 %, quote neither times nor ratios");
  }
  if (!ceilings_.empty() && ceilings_.rbegin()->first > availableCores()) {
    warnings.push_back("there are more threads than the " +
                       formatCounted(availableCores(), "core") + " that this process may use");
  }
  return warnings;
}

void BenchMachine::printWarnings(ProgressLine& line) const {
  for (const std::string& warning : warnings()) line.print("Warning: " + warning + ".");
}

Json BenchMachine::json() const {
  Json variables = Json::object();
  for (const char* name : kVariables) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  Json ceilings = Json::array();
  for (const auto& [threads, each] : ceilings_) ceilings.push_back(ceilingsJson(each));
  Json load = nullptr;
  if (const std::optional<LoadShares> shares = load_.shares())
    load = {{"others", shares->others}, {"stolen", shares->stolen}};
  return {{"device", device_.name},
          {"cpu", environment_.cpu},
          {"cores", availableCores()},
          {"lastLevelCacheBytes", lastLevelCacheBytes()},
          {"host", environment_.host},
          {"program", environment_.program},
          {"torch", environment_.torch},
          {"started", environment_.started},
          {"environment", variables},
          {"ceilings", ceilings},
          {"load", load},
          {"warnings", warnings()}};
}

std::string BenchMachine::text() const {
  FactList facts;
  facts.add("machine",
            environment_.cpu + ", " + formatCounted(availableCores(), "core") +
                ", last-level cache " + formatCacheSize(lastLevelCacheBytes()));
  facts.add("program",
            "Lambda Studio " + environment_.program + ", LibTorch " + environment_.torch + ", " +
                environment_.started);
  for (const auto& [threads, each] : ceilings_) {
    facts.add(device_.kind == DeviceKind::cuda ? device_.name : formatCounted(threads, "thread"),
              ceilingsText(each));
  }
  std::string text = facts.text();
  for (const std::string& warning : warnings()) text += "\nWarning: " + warning + ".\n";
  return text;
}

}  // namespace lambda
