// The wkv of RWKV-4 and its gradients; the algebra is on the page in
// engine/kernels/wkv/wkv_kernel.h. A thread takes one channel through one sequence with its state
// in registers. Threads of a warp read and write successive channels. Blocks are single warps, so
// that few channels reach many multiprocessors.

#include "engine/kernels/cuda/blocks.cuh"
#include "engine/kernels/cuda/launch.cuh"
#include "engine/kernels/cuda/outcome.cuh"
#include "engine/kernels/cuda/wkv/wkv.cuh"

namespace lambda::cuda {

namespace {

/// The sums N = num e^maximum and D = den e^maximum over the tokens so far.
struct Sums {
  float num, den, maximum;
};

/// Factors of the past and of the present in a mean, the greater of which is 1.
struct Weights {
  float past, present;
};

/// past / present = e^logit
__device__ __forceinline__ Weights weightsOf(float logit) {
  const float smaller = expf(-fabsf(logit));
  return logit > 0 ? Weights{1, smaller} : Weights{smaller, 1};
}

/// One channel of one sequence.
struct Channel {
  __device__ __forceinline__ Channel(const WkvShape& shape, const WkvInputs& inputs)
      : index(static_cast<std::int64_t>(blockIdx.x) * kWarpSize +
              static_cast<std::int64_t>(threadIdx.x)),
        sequence(index / shape.channels),
        channel(index % shape.channels),
        isPresent(sequence < shape.batch) {
    if (!isPresent) return;
    rate = expf(__ldg(inputs.decay + channel));
    bonus = __ldg(inputs.bonus + channel);
  }

  /// The weights of the sums and of a token in the wkv at this token.
  __device__ __forceinline__ Weights weightsAt(const Sums& sums, float k) const {
    return weightsOf(sums.maximum - k - bonus);
  }

  /// Adds a token to the sums. Returns the weights of e^-rate D and of the token in the new D.
  __device__ __forceinline__ Weights advance(Sums& sums, float k, float v) const {
    const float logit = sums.maximum - k - rate;
    const Weights weights = weightsOf(logit);
    const float lowered = sums.maximum - rate;
    float scale = 1;
    // Rounding adds up to half an ulp to the exponent, which num and den make up for.
    if (logit > 0 && fabsf(lowered) < kWkvExactExponent) {
      const float lost = sums.maximum - lowered - rate;
      scale += lost * (1 + 0.5F * lost);
    }
    const float past = weights.past * scale, present = weights.present * scale;
    sums.num = past * sums.num + present * v;
    sums.den = past * sums.den + present;
    sums.maximum = logit > 0 ? lowered : k;
    return weights;
  }

  std::int64_t index, sequence, channel;
  bool isPresent;  ///< There are fewer channels than threads.
  float rate = 0, bonus = 0;
};

/// From and to the `index`-th state of [.., 3, channels].
__device__ __forceinline__ Sums readState(const float* states,
                                          std::int64_t index,
                                          const WkvShape& shape,
                                          std::int64_t channel) {
  const float* from = states + index * kWkvStateRows * shape.channels + channel;
  return {from[0], from[shape.channels], from[2 * shape.channels]};
}

__device__ __forceinline__ void writeState(const Sums& sums,
                                           float* states,
                                           std::int64_t index,
                                           const WkvShape& shape,
                                           std::int64_t channel) {
  float* to = states + index * kWkvStateRows * shape.channels + channel;
  to[0] = sums.num;
  to[shape.channels] = sums.den;
  to[2 * shape.channels] = sums.maximum;
}

struct Forward {
  WkvShape shape;
  std::int64_t chunkCount;
  WkvInputs inputs;
  WkvStates states;
  float* out;
};

__global__ void __launch_bounds__(kWarpSize) forwardKernel(const __grid_constant__ Forward run) {
  const WkvShape& shape = run.shape;
  const Channel channel(shape, run.inputs);
  if (!channel.isPresent) return;
  Sums sums{0, 0, -INFINITY};
  if (run.states.before != nullptr)
    sums = readState(run.states.before, channel.sequence, shape, channel.channel);
  std::int64_t at = channel.sequence * shape.length * shape.channels + channel.channel;
  for (std::int64_t chunk = 0; chunk < run.chunkCount; ++chunk) {
    if (run.states.chunks != nullptr) {
      writeState(sums,
                 run.states.chunks,
                 channel.sequence * run.chunkCount + chunk,
                 shape,
                 channel.channel);
    }
    const int count = static_cast<int>(min(kWkvChunk, shape.length - chunk * kWkvChunk));
#pragma unroll 4
    for (int token = 0; token < count; ++token, at += shape.channels) {
      const float k = __ldg(run.inputs.keys + at);
      const float v = __ldg(run.inputs.values + at);
      const Weights weights = channel.weightsAt(sums, k);
      run.out[at] = (weights.past * sums.num + weights.present * v) /
                    (weights.past * sums.den + weights.present);
      channel.advance(sums, k, v);
    }
  }
  if (run.states.after != nullptr)
    writeState(sums, run.states.after, channel.sequence, shape, channel.channel);
}

struct Backward {
  WkvShape shape;
  std::int64_t chunkCount;
  WkvInputs inputs;
  const float* chunks;
  const float* dOut;
  WkvGradients gradients;
  double* dRates;  ///< [batch, 2, channels]: the gradients of rates and bonuses from one sequence.
};

/// The gradients that a thread carries from token to token.
struct CarriedGradients {
  float mean = 0, logarithm = 0;  ///< dM and dZ
  float rate = 0, bonus = 0;      ///< Sums over the tokens of a chunk.
};

/// Passes back through the token at `at`, before which the sums are `sums`.
__device__ __forceinline__ void passBack(
    const Backward& run, const Channel& channel, Sums sums, std::int64_t at, CarriedGradients& d) {
  const float k = __ldg(run.inputs.keys + at);
  const float v = __ldg(run.inputs.values + at);
  const float dOut = __ldg(run.dOut + at);
  const float den = sums.den;
  const float deviation = den == 0 ? v : v - sums.num / den;
  const Weights now = channel.weightsAt(sums, k);
  const Weights next = channel.advance(sums, k, v);
  const float share = 1 / (now.past * den + now.present);
  const float past = now.past * den * share, present = now.present * share;
  const float part = 1 / (next.past * den + next.present);
  const float kept = next.past * den * part, added = next.present * part;

  const float throughNow = past * present * deviation * dOut;
  const float throughNext = kept * added * deviation * d.mean;
  const float older = kept * d.logarithm;
  run.gradients.values[at] = present * dOut + added * d.mean;
  run.gradients.keys[at] = throughNow + throughNext + added * d.logarithm;
  d.bonus += throughNow;
  d.rate += throughNext - older;
  d.mean = past * dOut + kept * d.mean;
  d.logarithm = older - (throughNow + throughNext);
}

__global__ void __launch_bounds__(kWarpSize) backwardKernel(const __grid_constant__ Backward run) {
  const WkvShape& shape = run.shape;
  const Channel channel(shape, run.inputs);
  if (!channel.isPresent) return;
  CarriedGradients d;
  double dRate = 0, dBonus = 0;
  for (std::int64_t chunk = run.chunkCount - 1; chunk >= 0; --chunk) {
    const std::int64_t first = channel.sequence * shape.length + chunk * kWkvChunk;
    const int count = static_cast<int>(min(kWkvChunk, shape.length - chunk * kWkvChunk));
    const std::int64_t begin = first * shape.channels + channel.channel;
    Sums before[kWkvChunk];
    Sums sums =
        readState(run.chunks, channel.sequence * run.chunkCount + chunk, shape, channel.channel);
    for (int token = 0; token < count; ++token) {
      const std::int64_t at = begin + token * shape.channels;
      before[token] = sums;
      channel.advance(sums, __ldg(run.inputs.keys + at), __ldg(run.inputs.values + at));
    }
    d.rate = d.bonus = 0;
    for (int token = count - 1; token >= 0; --token)
      passBack(run, channel, before[token], begin + token * shape.channels, d);
    dRate += d.rate;
    dBonus += d.bonus;
  }
  double* to = run.dRates + channel.sequence * 2 * shape.channels + channel.channel;
  to[0] = dRate;
  to[shape.channels] = dBonus;
}

/// Sums the gradients of decay and bonus over the sequences; one thread for each channel.
__global__ void __launch_bounds__(kWarpSize) ratesKernel(const __grid_constant__ Backward run) {
  const std::int64_t channels = run.shape.channels;
  const std::int64_t c =
      static_cast<std::int64_t>(blockIdx.x) * kWarpSize + static_cast<std::int64_t>(threadIdx.x);
  if (c >= channels) return;
  double dRate = 0, dBonus = 0;
  for (std::int64_t sequence = 0; sequence < run.shape.batch; ++sequence) {
    dRate += run.dRates[sequence * 2 * channels + c];
    dBonus += run.dRates[(sequence * 2 + 1) * channels + c];
  }
  run.gradients.decay[c] =
      static_cast<float>(dRate * exp(static_cast<double>(__ldg(run.inputs.decay + c))));
  run.gradients.bonus[c] = static_cast<float>(dBonus);
}

/// Why the kernels can't take the operands; null if they can.
const char* findMisfit(const WkvShape& shape, const WkvInputs& inputs) {
  if (shape.batch < 1 || shape.length < 1 || shape.channels < 1) return "a size is not positive";
  if (inputs.keys == nullptr || inputs.values == nullptr || inputs.decay == nullptr ||
      inputs.bonus == nullptr) {
    return "keys, values, decay or bonus are missing";
  }
  return nullptr;
}

template <class Run>
cudaError_t runWarps(void (*kernel)(Run),
                     std::int64_t threads,
                     const CudaQueue& queue,
                     const Run& run) {
  return launch(kernel,
                ceilDivide(threads, std::int64_t{kWarpSize}),
                1,
                0,
                static_cast<cudaStream_t>(queue.stream),
                run);
}

}  // namespace

CudaOutcome wkvForward(const WkvShape& shape,
                       const WkvInputs& inputs,
                       const WkvStates& states,
                       float* out,
                       const CudaQueue& queue) {
  const char* misfit = findMisfit(shape, inputs);
  if (misfit != nullptr) return {-1, misfit};
  if (out == nullptr) return {-1, "the outputs are missing"};
  const cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const Forward run{shape, shape.chunks(), inputs, states, out};
  return outcomeOf(runWarps(forwardKernel, shape.batch * shape.channels, queue, run));
}

CudaOutcome wkvBackward(const WkvShape& shape,
                        const WkvInputs& inputs,
                        const float* chunks,
                        const float* dOut,
                        const WkvGradients& gradients,
                        double* workspace,
                        const CudaQueue& queue) {
  const char* misfit = findMisfit(shape, inputs);
  if (misfit != nullptr) return {-1, misfit};
  if (chunks == nullptr || dOut == nullptr || workspace == nullptr)
    return {-1, "the states, the gradient of the outputs or the workspace are missing"};
  if (gradients.keys == nullptr || gradients.values == nullptr || gradients.decay == nullptr ||
      gradients.bonus == nullptr) {
    return {-1, "a target for gradients is missing"};
  }
  cudaError_t error = cudaSetDevice(queue.device);
  if (error != cudaSuccess) return outcomeOf(error);
  const Backward run{shape, shape.chunks(), inputs, chunks, dOut, gradients, workspace};
  error = runWarps(backwardKernel, shape.batch * shape.channels, queue, run);
  if (error == cudaSuccess) error = runWarps(ratesKernel, shape.channels, queue, run);
  return outcomeOf(error);
}

}  // namespace lambda::cuda
