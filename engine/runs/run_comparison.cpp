#include "engine/runs/run_comparison.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runs/run_folder.h"

namespace lambda {

namespace {

bool areSameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void compareBatches(const RunFolder& first, const RunFolder& second, RunComparison& comparison) {
  const std::vector<BatchRecord> a = readMetrics(first.metrics()).batches;
  const std::vector<BatchRecord> b = readMetrics(second.metrics()).batches;
  const std::size_t both = std::min(a.size(), b.size());
  comparison.batches = static_cast<std::int64_t>(both);
  comparison.missingBatches = static_cast<std::int64_t>(std::max(a.size(), b.size()) - both);
  for (std::size_t i = 0; i < both; ++i) {
    if (a[i].step == b[i].step && areSameBits(a[i].loss, b[i].loss) &&
        areSameBits(a[i].gradientNorm, b[i].gradientNorm)) {
      continue;
    }
    comparison.firstDifferentStep = a[i].step;
    return;
  }
}

void compareTensors(const RunFolder& first, const RunFolder& second, RunComparison& comparison) {
  const SafeTensors a = readSafeTensors(first.lastCheckpoint());
  const SafeTensors b = readSafeTensors(second.lastCheckpoint());
  std::map<std::string, const TensorView*> others;
  for (const TensorView& tensor : b.tensors) others[tensor.name] = &tensor;
  for (const TensorView& tensor : a.tensors) {
    const auto other = others.find(tensor.name);
    const bool isSame = other != others.end() && other->second->dtype == tensor.dtype &&
                        other->second->shape == tensor.shape &&
                        std::ranges::equal(other->second->bytes, tensor.bytes);
    if (!isSame) comparison.differentTensors.push_back(tensor.name);
    if (other == others.end()) continue;
    ++comparison.tensors;
    others.erase(other);
  }
  for (const auto& [name, tensor] : others) comparison.differentTensors.push_back(name);
}

void compareEnvironments(const RunFolder& first,
                         const RunFolder& second,
                         RunComparison& comparison) {
  std::vector<Problem> warnings;
  const RunRecord one = readRunRecord(first.record(), warnings);
  const RunRecord other = readRunRecord(second.record(), warnings);
  const Environment &a = one.environment, &b = other.environment;
  const auto compare = [&](const char* what, const std::string& x, const std::string& y) {
    if (x != y) comparison.environment.push_back(std::string(what) + ": " + x + " and " + y);
  };
  compare("Lambda Studio", a.program, b.program);
  compare("commit", a.commit, b.commit);
  compare("LibTorch", a.torch, b.torch);
  compare("device", a.device, b.device);
  compare("processor", a.cpu, b.cpu);
  compare("training images", one.dataSha256.train, other.dataSha256.train);
  compare("threads", std::to_string(a.threads), std::to_string(b.threads));
  compare("changes of the number of threads",
          std::to_string(a.threadChanges),
          std::to_string(b.threadChanges));
  const auto listDataChanges = [&](const RunFolder& folder, const RunRecord& record) {
    for (const DataChange& each : record.dataChanges) {
      comparison.environment.push_back(folder.name() + ": " + textOf(each));
    }
  };
  listDataChanges(first, one);
  listDataChanges(second, other);
}

}  // namespace

RunComparison compareRuns(const std::filesystem::path& first, const std::filesystem::path& second) {
  const RunFolder a = RunFolder::open(first), b = RunFolder::open(second);
  RunComparison comparison;
  compareBatches(a, b, comparison);
  compareTensors(a, b, comparison);
  compareEnvironments(a, b, comparison);
  return comparison;
}

}  // namespace lambda
