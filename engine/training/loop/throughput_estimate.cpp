#include "engine/training/loop/throughput_estimate.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/error.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/process_memory.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/scoring.h"

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

// These steps allocate memory and choose kernels; on a GPU the last one is recorded.
constexpr int kWarmUpSteps = kStepsBeforeRecord + 1;
constexpr int kEvaluationBatches = 4;

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One measurement, with the data and the training that it needs.
class ThroughputMeasurement {
 public:
  ThroughputMeasurement(const RunConfig& config, int steps, RunControl& control, Observer& observer)
      : resolved_(config), steps_(std::max(1, steps)), control_(control), observer_(observer) {}

  std::optional<ThroughputEstimate> run() {
    restartPeakMemory();
    const ProcessMemory before = processMemory();
    const ComputeDevice& device = resolved_.device();
    result_ = {.steps = steps_, .device = device.name, .threads = device.threads};
    data_ = dryRunData(resolved_);
    result_.syntheticData = data_->areSynthetic();
    training_ = std::make_unique<DryRun>(resolved_, *data_);
    if (!timeSteps() || !timeEvaluation()) return std::nullopt;
    result_.secondsPerEpoch =
        result_.secondsPerStep * data_->batchesPerEpoch() + result_.evaluationSeconds;
    result_.peakResidentBytes = processMemory().peakResidentBytes;
    result_.residentGrowthBytes =
        result_.peakResidentBytes - std::min(result_.peakResidentBytes, before.residentBytes);
    return result_;
  }

 private:
  bool proceed(int done) {
    return waitForBatch(
        control_, observer_, {std::nullopt, done, kWarmUpSteps + steps_ + evaluationBatches()});
  }

  bool timeSteps() {
    std::vector<double> seconds;
    for (int step = 0; step < kWarmUpSteps + steps_; ++step) {
      if (!proceed(step)) return false;
      const Clock::time_point start = Clock::now();
      training_->step();
      if (step >= kWarmUpSteps) seconds.push_back(secondsSince(start));
    }
    result_.secondsPerStep = medianOf(std::move(seconds));
    result_.imagesPerSecond = resolved_.config().recipe.batchSize / result_.secondsPerStep;
    return true;
  }

  /// How many batches are scored to estimate the time for all.
  int evaluationBatches() const {
    const Examples& sample = data_->trainSample();
    const std::int64_t all = (sample.count() + sample.together() - 1) / sample.together();
    return static_cast<int>(std::min<std::int64_t>(kEvaluationBatches, all));
  }

  bool timeEvaluation() {
    const Examples& sample = data_->trainSample();
    Clock::time_point start;
    std::vector<double> secondsPerExample;
    bool isStopped = false;
    const auto go = [&](std::int64_t) {
      const int batch = static_cast<int>(secondsPerExample.size());
      if (batch == evaluationBatches()) return false;
      isStopped = !proceed(kWarmUpSteps + steps_ + batch);
      start = Clock::now();
      return !isStopped;
    };
    const auto time = [&](const at::Tensor& outputs, const at::Tensor&) {
      outputs.sum().item<float>();  // Reading a value waits for a GPU.
      secondsPerExample.push_back(secondsSince(start) / static_cast<double>(outputs.size(0)));
    };
    classify(*training_->state().network, sample, go, time);
    if (isStopped) return false;
    const std::int64_t all = sample.count() + data_->validation().count();
    result_.evaluationSeconds = medianOf(std::move(secondsPerExample)) * static_cast<double>(all);
    return true;
  }

  ResolvedConfig resolved_;
  int steps_;
  RunControl& control_;
  Observer& observer_;
  ThroughputEstimate result_;
  std::unique_ptr<TrainingData> data_;
  std::unique_ptr<DryRun> training_;
};

}  // namespace

std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                     int steps,
                                                     RunControl& control,
                                                     Observer& observer) {
  requireTrainable(config);
  return explainingFailures("estimate", config.recipe, [&] {
    return ThroughputMeasurement(config, steps, control, observer).run();
  });
}

}  // namespace lambda
