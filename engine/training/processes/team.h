#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/runtime/processes/processes.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/processes/gradient_mean.h"
#include "engine/training/step/training_step.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// What rank 0 has all ranks do, itself included.
struct Order {
  enum class Kind : std::int64_t {
    step,       ///< The step at the position, with the learning rate.
    score,      ///< Score the examples of the split.
    scoreTest,  ///< Score the test examples by other weights, which rank 0 has.
    end,        ///< The training is over.
  };

  Kind kind = Kind::end;
  int epoch = 0;  ///< The position of a step, as in TrainingProgress.
  int batch = 0;
  std::int64_t step = 0;
  double learningRate = 0;
  /// A step whose histograms rank 0 records, which all compute in the same way.
  bool withHistograms = false;
  Split split = Split::train;

  bool operator==(const Order&) const = default;
};

/// What the ranks did since the last call of takeTimes(), in their order.
struct RankTimes {
  std::vector<double> busySeconds;    ///< In steps, waiting excluded.
  std::vector<double> waitedSeconds;  ///< In steps, for the sum of the gradients.
  std::vector<double> examples;       ///< That they trained on.
};

/// This rank's place in a training by many processes (data parallelism): every rank has the whole
/// state and trains on its part of each batch, and the updates are those of the joint batch. Rank 0
/// gives the orders. Throws Error as Processes. Lives on the training thread.
class Team {
 public:
  /// `state`: of this rank; both must outlive it.
  Team(Processes& processes, TrainingState& state, const RunConfig& config);

  Processes& processes() { return processes_; }

  /// Gives an order to the others. On the other ranks it returns the next order of rank 0.
  Order order(const Order& given = {});

  /// Prepares a step: the random numbers of a rank are a function of seed, step and rank, so that
  /// ranks draw different ones and a resumed run the same.
  void beginStep(std::int64_t step);

  /// The backward pass, as GradientMean::backward().
  void backward(const at::Tensor& loss, double share) { gradients_.backward(loss, share); }

  /// Replaces loss and score of this rank's part by those of the joint batch.
  void join(StepMeasures& measures, const TensorBatch& part);

  /// For the sum of the gradients and for joint norms, in the latest step.
  double waitedSeconds() const { return waitedSeconds_; }

  /// The buckets of the latest step, and when it began.
  const std::vector<SentBucket>& sentBuckets() const { return gradients_.sentBuckets(); }

  std::chrono::steady_clock::time_point stepBegan() const { return stepBegan_; }

  RankTimes takeTimes();

  /// Gives all ranks the state of rank 0: the running statistics, which each has measured on its
  /// own parts, and the weights, which ranks on unlike processors round differently.
  void shareState() { state_.takeFromFirst(processes_); }

 private:
  Processes& processes_;
  TrainingState& state_;
  std::uint64_t seed_;
  GradientMean gradients_;
  std::chrono::steady_clock::time_point stepBegan_;
  double communicatedBefore_ = 0;  // Processes::communicationSeconds() at the start of the step.
  double waitedSeconds_ = 0;
  at::Tensor times_;  // [3, ranks] float64, as RankTimes.
};

}  // namespace lambda
