#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/kernels/update/weight_update_kernel.h"
#include "engine/layers/convolution/bfloat16_weights.h"
#include "engine/training/checkpoint/named_tensor.h"
#include "engine/training/update/device_update.h"
#include "engine/training/update/muon_filters.h"
#include "engine/values/run_config.h"

namespace lambda {

class WeightAverage;

/// What an update needs beside the gradients.
struct UpdateStep {
  double learningRate = 0;
  double gradientNorm = 0;           ///< Which clipping goes by; stepOnDevice() finds its own.
  WeightAverage* average = nullptr;  ///< Takes in the new weights; null = none is kept.
  std::int64_t step = 1;             ///< For the average: of the run, counted from 1.
};

/// The weights of an update where they and their gradients are in memory.
struct WeightsInMemory {
  std::vector<UpdatedWeights> tensors;  ///< Parameters in the optimiser's order, averages after.
  std::vector<at::Tensor> gradients;    ///< What the gradients' addresses are of.
};

/// SGD with Nesterov momentum, Adam, AdamW and Muon. On the CPU, clipping, update and moving
/// average are one pass over memory for all float32 parameters together, see
/// engine/kernels/update/weight_update_kernel.h; on a GPU the CUDA kernels do the same and find the
/// norm too. Where neither fits, ATen's fused kernels. Learning rate and weight decay of a
/// parameter go by its role, see RoledModule. Muon's filters are those of ParameterRole::filter;
/// they are updated before the other weights, one by one. All state is created at the start, so
/// that a checkpoint always has all of it. Lives on the training thread.
class Optimizer {
 public:
  /// `kernels` are for weights on a GPU, or those that emulate one; null = none. `copies` are the
  /// module's weights in bfloat16, from whose gradients it updates, and which move with their
  /// masters; null = there are none.
  Optimizer(const OptimizerConfig& config,
            const torch::nn::Module& module,
            const CudaKernels* kernels = nullptr,
            Bfloat16Weights* copies = nullptr);

  /// Drops all gradients.
  void zeroGrad();

  /// The 2-norm of all gradients together, a scalar where they are.
  at::Tensor gradientNorm() const;

  /// One update from the gradients, scaled down where their norm is above `gradientClip`;
  /// parameters without a gradient stay as they are. What the gradients are afterwards is not said.
  void step(const UpdateStep& update);

  /// Whether stepOnDevice() can be used: there are kernels, and all tensors fit them.
  bool stepsOnDevice(const WeightAverage* average) const;

  /// step() with the norm found on the device, which nothing waits for; returns it, a float64
  /// scalar there. Where it or the loss, a float32 scalar on the device, is not finite, weights,
  /// moments and averages stay as they are; the step is counted all the same.
  at::Tensor stepOnDevice(const UpdateStep& update, const at::Tensor& loss);

  /// stepOnDevice() by parts, for a step that is recorded: the weights with their gradients, and
  /// an update of them that is queued without being sent. `average` as in stepsOnDevice(). Returns
  /// the norm, as stepOnDevice() does.
  WeightsInMemory weightsInMemory(WeightAverage* average);
  at::Tensor queueUpdate(const WeightsInMemory& weights, const at::Tensor& loss);

  /// Counts a step and sends what its update, which is queued or will be, has to know of it.
  void sendStep(WeightsInMemory& weights, const UpdateStep& update);

  /// "NAME.momentum", or "NAME.mean", "NAME.variance" and "NAME.step".
  std::vector<NamedTensor> state() const;

  bool fusesUpdate = true;  ///< False: by ATen's kernels everywhere, the reference.

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor copy;  // in bfloat16; undefined where there is none
    double rateFactor = 1;
    double weightDecay = 0;
    bool orthogonalized = false;
    at::Tensor first;   // momentum, or the first moment
    at::Tensor second;  // the second moment; Adam alone
    at::Tensor steps;   // updates done, float32 scalar; Adam alone
  };

  bool areOnCpu() const;
  bool canFuse(const WeightAverage* average) const;
  UpdateRates constantRates() const;
  UpdateRates ratesOf(const UpdateStep& update) const;
  void countStep(WeightsInMemory& weights);
  DeviceUpdate& deviceUpdateOf(const WeightsInMemory& weights);
  void addAverages(WeightAverage& average, std::vector<UpdatedWeights>& tensors) const;
  /// Of Muon; scale and condition as in MuonStep.
  void updateFilters(const at::Tensor& gradientScale, const at::Tensor& moves);
  void updateOthersByAten(double learningRate, double gradientScale);
  void letCopiesFollow();

  static at::Tensor gradientOf(const Slot& slot);

  OptimizerConfig config_;
  const CudaKernels* kernels_;
  Bfloat16Weights* copies_;
  std::vector<Slot> slots_;
  MuonFilters filters_;
  std::unique_ptr<DeviceUpdate> deviceUpdate_;  // Null before the first one.
  at::Tensor lossOrNan_;  // float32 scalar, what keeps the kernels from moving weights; with Muon.
};

}  // namespace lambda
