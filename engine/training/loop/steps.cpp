#include "engine/training/loop/steps.h"

#include <algorithm>

#include "engine/networks/inspection/first_nonfinite.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/run/run_writer.h"
#include "engine/training/step/training_step.h"
#include "engine/training/update/master_weights.h"
#include "engine/values/config/schedule.h"

namespace lambda {

StepUnderWay Steps::start(bool withHistograms) {
  const TrainingProgress& at = state_.progress;
  const double learningRate =
      learningRateOfStep(recipe_, at.epoch, at.batch, data_.batchesPerEpoch());
  if (team_ != nullptr) {
    team_->order({.kind = Order::Kind::step,
                  .epoch = at.epoch,
                  .batch = at.batch,
                  .step = at.step,
                  .learningRate = learningRate,
                  .withHistograms = withHistograms});
  }
  return begin(learningRate, withHistograms);
}

void Steps::follow(const Order& order) {
  state_.progress.epoch = order.epoch;
  state_.progress.batch = order.batch;
  state_.progress.step = order.step;
  begin(order.learningRate, order.withHistograms).step.outcome();
}

StepUnderWay Steps::begin(double learningRate, bool withHistograms) {
  const auto start = std::chrono::steady_clock::now();
  const TrainingProgress& at = state_.progress;
  if (team_ != nullptr) team_->beginStep(at.step);
  const TensorBatch batch = data_.batch(at.epoch, at.batch);
  const double dataSeconds = secondsSince(start);
  std::optional<StepHistograms> histograms;
  if (withHistograms) histograms.emplace();
  StartedStep step = histograms
                         ? startObservedStep(state_, runner_, batch, learningRate, *histograms)
                         : runner_.start(batch, learningRate);
  return {
      .step = std::move(step),
      .before = at,
      .start = start,
      .dataSeconds = dataSeconds,
      .learningRate = learningRate,
      .images = data_.examplesIn(at.batch + 1) - data_.examplesIn(at.batch),
      .allReduceSeconds = team_ != nullptr ? std::optional(team_->waitedSeconds()) : std::nullopt,
      .histograms = std::move(histograms)};
}

double Steps::secondsOf(const StepUnderWay& ended) {
  const auto now = std::chrono::steady_clock::now();
  const auto began = std::max(ended.start, lastEnd_);
  lastEnd_ = now;
  return std::chrono::duration<double>(now - began).count();
}

Error Steps::nonFinite(const StepUnderWay& failed, const StepOutcome& outcome) {
  const TrainingProgress& before = failed.before;
  state_.progress.step = before.step;
  state_.progress.batch = before.batch;
  const TensorBatch batch = data_.batch(before.epoch, before.batch);
  // If the step was completed late, the present gradients are those of the next step.
  if (!failed.step.isOver()) computeGradients(state_, batch);
  const MasterWeights inspected(state_.optimizer);
  const std::optional<NonFinite> first = firstNonFinite(state_.network, batch.images);
  const std::string where = first ? "it began in " + first->layer + " (" + first->what + ")"
                                  : "the loss is " + std::to_string(outcome.loss) +
                                        ", the norm of the gradients " +
                                        std::to_string(outcome.gradientNorm);
  return {"step " + std::to_string(before.step + 1),
          "a value is not finite: " + where,
          lowerLearningRateHint(recipe_)};
}

}  // namespace lambda
