#include "engine/training/processes/team.h"

#include <bit>

#include <ATen/ATen.h>

#include "engine/runtime/random.h"
#include "engine/runtime/seconds_since.h"

namespace lambda {

namespace {

/// The parameters that get gradients, in the module's order.
std::vector<at::Tensor> trainedParameters(const TrainingState& state) {
  std::vector<at::Tensor> parameters;
  for (const UpdatedParameter& each : state.optimizer.parameters()) {
    if (each.parameter.requires_grad()) parameters.push_back(each.parameter);
  }
  return parameters;
}

at::Tensor noTimes(int ranks) {
  return at::zeros({3, ranks}, at::kDouble);
}

std::vector<double> listOf(const at::Tensor& row) {
  const auto* first = row.const_data_ptr<double>();
  return {first, first + row.numel()};
}

}  // namespace

Team::Team(Processes& processes, TrainingState& state, const RunConfig& config)
    : processes_(processes),
      state_(state),
      seed_(config.seed),
      gradients_(processes, trainedParameters(state), config.device.overlapsGradients),
      times_(noTimes(processes.size())) {}

Order Team::order(const Order& given) {
  at::Tensor values = at::tensor({static_cast<std::int64_t>(given.kind),
                                  std::int64_t{given.epoch},
                                  std::int64_t{given.batch},
                                  given.step,
                                  std::bit_cast<std::int64_t>(given.learningRate),
                                  static_cast<std::int64_t>(given.split),
                                  std::int64_t{given.withHistograms}},
                                 at::kLong);
  processes_.takeFromFirst(values);
  const auto* value = values.const_data_ptr<std::int64_t>();
  return {.kind = static_cast<Order::Kind>(value[0]),
          .epoch = static_cast<int>(value[1]),
          .batch = static_cast<int>(value[2]),
          .step = value[3],
          .learningRate = std::bit_cast<double>(value[4]),
          .withHistograms = value[6] != 0,
          .split = static_cast<Split>(value[5])};
}

void Team::beginStep(std::int64_t step) {
  KeyedRandom random{
      seed_, static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(processes_.rank())};
  at::Generator generator = *state_.network->random();
  generator.set_current_seed(random.bits());
  communicatedBefore_ = processes_.communicationSeconds();
  stepBegan_ = std::chrono::steady_clock::now();
}

void Team::join(StepMeasures& measures, const TensorBatch& part) {
  waitedSeconds_ =
      gradients_.waitedSeconds() + processes_.communicationSeconds() - communicatedBefore_;
  const int ranks = processes_.size();
  at::Tensor values = at::zeros({2 + 3 * ranks}, at::kDouble);
  auto* value = values.mutable_data_ptr<double>();
  value[0] = part.jointShare * measures.loss.item<double>();
  value[1] = part.jointShare * measures.score.item<double>();
  double* times = value + 2 + processes_.rank();
  times[0] = secondsSince(stepBegan_) - waitedSeconds_;
  times[ranks] = waitedSeconds_;
  times[2 * ranks] = part.jointShare == 0 ? 0 : static_cast<double>(part.labels.size(0));
  processes_.sum(values);
  measures.loss.fill_(value[0]);
  measures.score.fill_(value[1]);
  times_ += values.narrow(0, 2, 3 * ranks).view({3, ranks});
}

RankTimes Team::takeTimes() {
  RankTimes times{listOf(times_[0]), listOf(times_[1]), listOf(times_[2])};
  times_ = noTimes(processes_.size());
  return times;
}

}  // namespace lambda
