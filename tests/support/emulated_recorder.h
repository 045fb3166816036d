#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/work_recorder.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

/// Records steps on the emulated device as a GPU does: recording changes no state, and a replay
/// writes into the tensors of the recording and updates weights at the recorded addresses. The
/// state's optimiser must use kernels(). Only one recorder may exist at a time.
class EmulatedRecorder : public WorkRecorder {
  using QueueWork = std::function<std::vector<at::Tensor>()>;

 public:
  explicit EmulatedRecorder(TrainingState& state) : state_(state) {}

  /// The emulated kernels; while a step is recorded, their updates are stored and not done.
  static const CudaKernels& kernels() {
    static const CudaKernels holding = [] {
      CudaKernels all = *lambdaCudaKernels();
      all.updateWeights = [](const CudaWeightUpdate& update, const CudaQueue& queue) {
        if (held_ == nullptr) return lambdaCudaKernels()->updateWeights(update, queue);
        held_->push_back(update);
        return CudaOutcome();
      };
      return all;
    }();
    return holding;
  }

  std::unique_ptr<RecordedWork> record(const QueueWork& queueWork,
                                       const at::Generator& random) override {
    ++records;
    const std::vector<std::pair<at::Tensor, at::Tensor>> before = moved();
    at::Generator generator = random;
    const at::Tensor drawn = generator.get_state();
    auto step = std::make_unique<Step>(*this, queueWork);
    for (const auto& [tensor, value] : before) tensor.copy_(value);
    TORCH_CHECK(!fails, "the device is out of graphs");
    generator.set_state(drawn);
    return step;
  }

  bool fails = false;  ///< Whether record() throws, after the work was queued.
  int records = 0;
  int replays = 0;

 private:
  class Step : public RecordedWork {
   public:
    Step(EmulatedRecorder& recorder, QueueWork queueWork)
        : recorder_(recorder), queueWork_(std::move(queueWork)) {
      std::tie(made_, update_) = queue();
    }

    void replay() override {
      ++recorder_.replays;
      const auto [anew, unused] = queue();
      for (std::size_t i = 0; i < made_.size(); ++i) made_[i].copy_(anew[i]);
      lambdaCudaKernels()->updateWeights(update_, {});
    }

    /// Only the update runs on the emulated device.
    WorkCounts counts() const override { return {.kernels = 1}; }

   private:
    std::pair<std::vector<at::Tensor>, CudaWeightUpdate> queue() {
      std::vector<CudaWeightUpdate> updates;
      held_ = &updates;
      std::vector<at::Tensor> made = queueWork_();
      held_ = nullptr;
      if (updates.size() != 1) throw std::logic_error("a step must have one update");
      return {made, updates.front()};
    }

    EmulatedRecorder& recorder_;
    QueueWork queueWork_;
    std::vector<at::Tensor> made_;
    CudaWeightUpdate update_;
  };

  /// The tensors that queueing changes at once on a CPU, each with a copy of its values.
  std::vector<std::pair<at::Tensor, at::Tensor>> moved() {
    std::vector<std::pair<at::Tensor, at::Tensor>> all;
    for (const UpdatedParameter& each : state_.optimizer.parameters()) {
      all.emplace_back(each.parameter.detach(), each.parameter.detach().clone());
      all.emplace_back(each.master.detach(), each.master.detach().clone());
    }
    for (const NamedTensor& each : state_.optimizer.state()) {
      all.emplace_back(each.tensor, each.tensor.clone());
    }
    for (const at::Tensor& buffer : state_.network->buffers()) {
      all.emplace_back(buffer, buffer.clone());
    }
    if (!state_.average) return all;
    for (const AveragedTensor& each : state_.average->tensors()) {
      all.emplace_back(each.average, each.average.clone());
    }
    return all;
  }

  static inline std::vector<CudaWeightUpdate>* held_ = nullptr;  // Null = updates are done at once.

  TrainingState& state_;
};

}  // namespace lambda::test
