#include "engine/training/loop/throughput_estimate.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
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
constexpr std::size_t kEvaluationImages = 4 * kEvaluationBatch;

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
    RunData images = dryRunData(resolved_);
    result_.syntheticData = images.areSynthetic();
    data_ = &images;
    training_ = std::make_unique<DryRun>(resolved_, images);
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

  /// How many images are scored to estimate the time for all.
  std::size_t evaluationImages() const {
    return std::min(kEvaluationImages, data_->trainSample().count());
  }

  int evaluationBatches() const {
    return static_cast<int>((evaluationImages() + kEvaluationBatch - 1) / kEvaluationBatch);
  }

  bool timeEvaluation() {
    const LabeledImages& sample = data_->trainSample();
    std::vector<std::uint32_t> first(evaluationImages());
    std::iota(first.begin(), first.end(), 0U);
    const LabeledImages images = selectImages(sample, first);
    Clock::time_point start;
    std::vector<double> secondsPerImage;
    int batch = 0;
    const auto go = [&](std::int64_t) {
      if (!proceed(kWarmUpSteps + steps_ + batch++)) return false;
      start = Clock::now();
      return true;
    };
    const auto time = [&](const at::Tensor& logits, const at::Tensor&) {
      logits.sum().item<float>();  // Reading a value waits for a GPU.
      secondsPerImage.push_back(secondsSince(start) / static_cast<double>(logits.size(0)));
    };
    if (!classify(*training_->state().network, images, data_->maker(), go, time)) return false;
    const std::size_t all = sample.count() + data_->validation().count();
    result_.evaluationSeconds = medianOf(std::move(secondsPerImage)) * static_cast<double>(all);
    return true;
  }

  ResolvedConfig resolved_;
  int steps_;
  RunControl& control_;
  Observer& observer_;
  ThroughputEstimate result_;
  RunData* data_ = nullptr;  // Valid while run() runs.
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
