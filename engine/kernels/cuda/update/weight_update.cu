// The update of a network's weights: one pass over the gradients for their norm, then one pass over
// weights, gradients and state. Squares are summed in double and in an order that depends on the
// sizes alone.

#include "engine/kernels/cuda/blocks.cuh"
#include "engine/kernels/cuda/formats.cuh"
#include "engine/kernels/cuda/launch.cuh"
#include "engine/kernels/cuda/outcome.cuh"
#include "engine/kernels/cuda/update/weight_update.cuh"

namespace lambda::cuda {

namespace {

constexpr int kThreads = kMostWarps * kWarpSize;

/// The sum of the values of all threads of the block, for the first thread.
__device__ __forceinline__ double sumOfThreads(double value) {
  auto* const sums = static_cast<double*>(sharedMemory());
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = value;
  __syncthreads();
  for (int others = kThreads / 2; others > 0; others /= 2) {
    if (thread < others) sums[thread] += sums[thread + others];
    __syncthreads();
  }
  return sums[0];
}

/// The values of a tensor that a block works on. Those of one thread are kThreads apart.
struct Stretch {
  __device__ __forceinline__ Stretch(const CudaUpdateBlock& block, std::int64_t size)
      : first(block.stretch * kValuesPerBlock + static_cast<std::int64_t>(threadIdx.x)),
        end(min((block.stretch + std::int64_t{1}) * kValuesPerBlock, size)) {}

  std::int64_t first, end;
};

/// The i-th value of a tensor's gradient, which must not be null.
__device__ __forceinline__ float gradientAt(const CudaUpdatedWeights& tensor, std::int64_t i) {
  if (tensor.gradientElement == Element::float32)
    return __ldg(static_cast<const float*>(tensor.gradient) + i);
  const std::uint32_t upper = __ldg(static_cast<const Bfloat16*>(tensor.gradient) + i);
  return __uint_as_float(upper << 16);
}

__global__ void __launch_bounds__(kThreads)
    squaresKernel(const __grid_constant__ CudaWeightUpdate update) {
  const CudaUpdateBlock block = update.blocks[blockIdx.x];
  const CudaUpdatedWeights tensor = update.tensors[block.tensor];
  double sum = 0;
  if (tensor.gradient != nullptr) {
    const Stretch stretch(block, tensor.size);
#pragma unroll 4
    for (std::int64_t i = stretch.first; i < stretch.end; i += kThreads) {
      const double value = gradientAt(tensor, i);
      sum += value * value;
    }
  }
  sum = sumOfThreads(sum);
  if (threadIdx.x == 0) update.squares[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads)
    normKernel(const __grid_constant__ CudaWeightUpdate update) {
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < update.blockCount; i += kThreads) sum += update.squares[i];
  sum = sumOfThreads(sum);
  if (threadIdx.x == 0) *update.gradientNorm = sqrt(sum);
}

template <UpdateRule kRule>
inline constexpr bool kIsAdaptive = kRule == UpdateRule::adam || kRule == UpdateRule::adamw;

/// One weight and its optimiser state.
template <UpdateRule kRule>
struct Weight {
  __device__ __forceinline__ void move(const CudaWeightUpdate& update,
                                       const CudaUpdatedWeights& tensor,
                                       float learningRate,
                                       float gradient) {
    if constexpr (kRule == UpdateRule::adamw || kRule == UpdateRule::lion) {
      value -= learningRate * tensor.weightDecay * value;
    } else {
      gradient += tensor.weightDecay * value;
    }
    if constexpr (kIsAdaptive<kRule>) {
      firstMoment += update.oneMinusBeta1 * (gradient - firstMoment);
      secondMoment = update.beta2 * secondMoment + update.oneMinusBeta2 * gradient * gradient;
      const float deviation = sqrtf(secondMoment) * tensor.secondCorrection + update.epsilon;
      value -= learningRate * tensor.firstCorrection * firstMoment / deviation;
    } else if constexpr (kRule == UpdateRule::lion) {
      const float mean = firstMoment + update.oneMinusBeta1 * (gradient - firstMoment);
      value -= learningRate * static_cast<float>((mean > 0) - (mean < 0));
      firstMoment += update.oneMinusBeta2 * (gradient - firstMoment);
    } else if constexpr (kRule == UpdateRule::sgd) {
      value -= learningRate * gradient;
    } else {
      firstMoment = update.momentum * firstMoment + gradient;
      value -=
          learningRate *
          (kRule == UpdateRule::nesterov ? update.momentum * firstMoment + gradient : firstMoment);
    }
  }

  float value, firstMoment, secondMoment;
};

/// average + share (value - average), computed from the nearer of the two, so that a share of 1
/// gives the weight exactly.
__device__ __forceinline__ float averaged(float average, float value, float share) {
  const float difference = value - average;
  return share < 0.5F ? average + share * difference : value - (1 - share) * difference;
}

template <UpdateRule kRule>
__global__ void __launch_bounds__(kThreads)
    updateKernel(const __grid_constant__ CudaWeightUpdate update) {
  const double norm = __ldg(update.gradientNorm);
  if (!isfinite(norm)) return;
  if (update.loss != nullptr && !isfinite(__ldg(update.loss))) return;
  const bool clips = update.gradientClip > 0 && norm > update.gradientClip;
  const float gradientScale = clips ? static_cast<float>(update.gradientClip / norm) : 1.0F;
  const CudaUpdateStep step = *update.step;
  const CudaUpdateBlock block = update.blocks[blockIdx.x];
  const CudaUpdatedWeights tensor = update.tensors[block.tensor];
  const float learningRate = step.learningRate * tensor.rateFactor;
  const Stretch stretch(block, tensor.size);
#pragma unroll 4
  for (std::int64_t i = stretch.first; i < stretch.end; i += kThreads) {
    Weight<kRule> weight{tensor.weights[i], 0, 0};
    if (tensor.gradient != nullptr) {
      if constexpr (kRule != UpdateRule::sgd) weight.firstMoment = tensor.firstMoment[i];
      if constexpr (kIsAdaptive<kRule>) weight.secondMoment = tensor.secondMoment[i];
      weight.move(update, tensor, learningRate, gradientScale * gradientAt(tensor, i));
      tensor.weights[i] = weight.value;
      if (tensor.rounded != nullptr) tensor.rounded[i] = Bfloat16Format::round(weight.value);
      if constexpr (kRule != UpdateRule::sgd) tensor.firstMoment[i] = weight.firstMoment;
      if constexpr (kIsAdaptive<kRule>) tensor.secondMoment[i] = weight.secondMoment;
    }
    if (tensor.average != nullptr)
      tensor.average[i] = averaged(tensor.average[i], weight.value, step.averageShare);
  }
}

using UpdateKernel = void (*)(CudaWeightUpdate);

UpdateKernel kernelOf(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::sgd:
      return updateKernel<UpdateRule::sgd>;
    case UpdateRule::momentum:
      return updateKernel<UpdateRule::momentum>;
    case UpdateRule::nesterov:
      return updateKernel<UpdateRule::nesterov>;
    case UpdateRule::adam:
      return updateKernel<UpdateRule::adam>;
    case UpdateRule::adamw:
      return updateKernel<UpdateRule::adamw>;
    case UpdateRule::lion:
      return updateKernel<UpdateRule::lion>;
  }
  return nullptr;
}

}  // namespace

CudaOutcome updateWeights(const CudaWeightUpdate& update, const CudaQueue& queue) {
  if (update.blockCount < 1) return {-1, "there are no weights"};
  if (update.tensors == nullptr || update.blocks == nullptr || update.step == nullptr ||
      update.squares == nullptr || update.gradientNorm == nullptr) {
    return {-1, "the weights, blocks, step, squares or norm are missing"};
  }
  const cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  const auto run = [&](UpdateKernel kernel, std::int64_t blocks) {
    return outcomeOf(launch(kernel, blocks, kMostWarps, sizeof(double) * kThreads, stream, update));
  };
  CudaOutcome outcome = run(squaresKernel, update.blockCount);
  if (outcome.code == 0) outcome = run(normKernel, 1);
  if (outcome.code == 0) outcome = run(kernelOf(update.rule), update.blockCount);
  return outcome;
}

}  // namespace lambda::cuda
