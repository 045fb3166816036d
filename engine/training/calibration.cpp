#include "engine/training/calibration.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/formats/cifar10_files.h"
#include "engine/runtime/error.h"
#include "engine/runtime/process_memory.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/runtime/random.h"
#include "engine/training/evaluation.h"
#include "engine/training/out_of_memory.h"
#include "engine/training/run_data.h"
#include "engine/training/schedule.h"
#include "engine/training/trainer.h"
#include "engine/training/training_state.h"
#include "engine/training/training_step.h"
#include "engine/training/wait_for_batch.h"

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUpSteps = 3;  // Memory is fetched, kernels are chosen.
constexpr std::size_t kEvaluationImages = 4 * kEvaluationBatch;
constexpr int kCifarTrainCount = 50'000;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

LabeledImages randomImages(int count) {
  LabeledImages images;
  images.classNames.assign(kCifar10Classes.begin(), kCifar10Classes.end());
  images.pixels.resize(static_cast<std::size_t>(count) * 3 * 32 * 32);
  KeyedRandom random{0};
  for (std::size_t i = 0; i < images.pixels.size(); i += 8) {
    const std::uint64_t bits = random.bits();
    for (int byte = 0; byte < 8; ++byte) {
      images.pixels[i + static_cast<std::size_t>(byte)] =
          static_cast<std::uint8_t>(bits >> (8 * byte));
    }
  }
  for (int i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint8_t>(i % 10));
  return images;
}

/// What stands in for CIFAR-10: as many images, of random pixels.
std::shared_ptr<const Dataset> randomDataset(const DataConfig& config) {
  Dataset data;
  data.train = randomImages(kCifarTrainCount - config.validationCount);
  data.validation = randomImages(config.validationCount);
  data.normalization = measureNormalization(data.train);
  return std::make_shared<const Dataset>(std::move(data));
}

/// The measuring, with all that lives as long as it.
class Rehearsal {
 public:
  Rehearsal(const RunConfig& config, int steps, RunControl& control, Observer& observer)
      : config_(config), steps_(std::max(1, steps)), control_(control), observer_(observer) {}

  std::optional<Calibration> run() {
    restartPeakMemory();
    const ProcessMemory before = processMemory();
    const ComputeDevice device = selectDevice(config_.device);
    useThreads(device);
    result_ = {.steps = steps_, .device = device.name, .threads = device.threads};
    loadData(torchDevice(device));
    state_ = std::make_unique<TrainingState>(config_, device);
    if (!timeSteps() || !timeEvaluation()) return std::nullopt;
    result_.secondsPerEpoch =
        result_.secondsPerStep * data_->batchesPerEpoch() + result_.evaluationSeconds;
    result_.peakResidentBytes = processMemory().peakResidentBytes;
    result_.residentGrowthBytes =
        result_.peakResidentBytes - std::min(result_.peakResidentBytes, before.residentBytes);
    return result_;
  }

 private:
  void loadData(const at::Device& device) {
    auto datasets = std::make_shared<DatasetCache>();
    std::shared_ptr<const Dataset> images;
    try {
      images = datasets->training(config_.data);
    } catch (const Error&) {
      if (config_.data.source == "shapes10") throw;
      images = randomDataset(config_.data);
      result_.syntheticData = true;
    }
    data_ = std::make_unique<RunData>(config_, device, std::move(images), std::move(datasets));
  }

  bool proceed(int done) {
    observer_.evaluated({"calibration", done, kWarmUpSteps + steps_ + evaluationBatches()});
    return waitForBatch(control_, observer_);
  }

  bool timeSteps() {
    const Recipe& recipe = config_.recipe;
    const int perEpoch = data_->batchesPerEpoch();
    std::vector<double> seconds;
    for (int step = 0; step < kWarmUpSteps + steps_; ++step) {
      if (!proceed(step)) return false;
      const Clock::time_point start = Clock::now();
      const int epoch = step / perEpoch, batch = step % perEpoch;
      const double time = epoch + (batch + 0.5) / perEpoch;
      trainOnBatch(
          *state_,
          recipe,
          data_->batch(epoch, batch),
          recipe.optimizer.learningRate * learningRateFactor(recipe.schedule, time, recipe.epochs));
      if (step >= kWarmUpSteps) seconds.push_back(secondsSince(start));
    }
    result_.secondsPerStep = medianOf(std::move(seconds));
    result_.imagesPerSecond = recipe.batchSize / result_.secondsPerStep;
    return true;
  }

  /// How many images are scored to tell how long all take.
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
      logits.sum().item<float>();  // A GPU has not computed them before they are read.
      secondsPerImage.push_back(secondsSince(start) / static_cast<double>(logits.size(0)));
    };
    if (!classify(*state_->network, images, data_->maker(), config_.recipe, go, time)) return false;
    const std::size_t all = sample.count() + data_->validation().count();
    result_.evaluationSeconds = medianOf(std::move(secondsPerImage)) * static_cast<double>(all);
    return true;
  }

  const RunConfig& config_;
  int steps_;
  RunControl& control_;
  Observer& observer_;
  Calibration result_;
  TensorMemoryReuse reuse_;  ///< Ends after the tensors below have.
  std::unique_ptr<RunData> data_;
  std::unique_ptr<TrainingState> state_;
};

}  // namespace

std::optional<Calibration> calibrate(const RunConfig& config,
                                     int steps,
                                     RunControl& control,
                                     Observer& observer) {
  requireTrainable(config);
  try {
    return Rehearsal(config, steps, control, observer).run();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& failure) {
    if (!isOutOfMemory(failure)) throw Error("calibration", failure.what_without_backtrace());
  } catch (const std::exception& failure) {
    if (!isOutOfMemory(failure)) throw;
  }
  throw Error("calibration",
              "memory is not enough for a batch of " + std::to_string(config.recipe.batchSize),
              "choose a smaller batch, fewer heads, a smaller k or a local scope");
}

}  // namespace lambda
