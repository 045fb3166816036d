#pragma once

#include <cstdint>

#include "engine/kernels/cuda/images/image_batch.h"
#include "engine/kernels/cuda/update/weight_update.h"
#include "engine/kernels/element.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/kernels/wkv/wkv_kernel.h"

namespace lambda {

// The interface of lambda-kernels-cuda.so, the plugin with all CUDA kernels, for the program that
// opens it: functions and plain structures, no CUDA header. Calls queue their work, do not wait for
// it and allocate nothing, so they can be captured in a CUDA graph. What the functions of the
// lambda core compute, and how, is on the page in engine/kernels/lambda_core/lambda_core_kernel.h.

/// Changes with anything below: a program can't use a plugin of another version.
inline constexpr std::int32_t kCudaKernelsVersion = 7;

/// The stream on which work is queued.
struct CudaQueue {
  int device = 0;
  void* stream = nullptr;  ///< A cudaStream_t of the device.
};

/// The result of a call.
struct CudaOutcome {
  int code = 0;                ///< 0 = success; a cudaError_t, or -1 for unsuitable operands.
  const char* text = nullptr;  ///< What went wrong, static storage; null after success.
};

/// The operands of the core, contiguous and on the device. Elements are float32 or bfloat16;
/// products are of that type, sums are in float32.
struct CudaCoreInputs {
  CoreShape shape;  ///< k up to 64; the order is ignored, queries come first.
  Element element = Element::float32;
  const void* queries = nullptr;             ///< q [b, n, h, k]
  const void* keys = nullptr;                ///< kbar [b, m u, k], after the softmax.
  const void* values = nullptr;              ///< v [b, m u, v]
  const void* table = nullptr;               ///< R [rows, u, k]
  const std::int32_t* tableRowOf = nullptr;  ///< [n, m]: the row of e_nm; -1 = outside the window.
  std::int64_t pairCount = 0;                ///< Pairs (n, m) inside the window.
  void* contentLambdas = nullptr;  ///< kbar^T v [b, k, v]; written by forward, read by backward.
};

/// The pairs of each row of the table: those of row r are pairs[i] for starts[r] <= i < starts[r +
/// 1].
struct CudaPairIndex {
  const std::int32_t* pairs = nullptr;   ///< [pairCount], a pair (n, m) as n * positions + m.
  const std::int32_t* starts = nullptr;  ///< [rows + 1]
};

/// Targets for the gradients, of the inputs' shapes. They are written, not added to. Null where the
/// input is null.
struct CudaCoreGradients {
  void* queries = nullptr;
  void* keys = nullptr;
  void* values = nullptr;
  float* table = nullptr;  ///< float32 for both element types: a sum over all images.
};

/// The functions of the plugin.
struct CudaKernels {
  std::int32_t version = kCudaKernelsVersion;

  /// Whether the kernels run on a device: compute capability 8.0 or later.
  CudaOutcome (*checkDevice)(int device) = nullptr;

  /// Writes y [b, n, h, v], of the inputs' element type. One kernel.
  CudaOutcome (*forward)(const CudaCoreInputs& inputs, void* y, const CudaQueue& queue) = nullptr;

  /// Size in bytes of the workspace that `backward` needs, aligned to 256.
  std::int64_t (*workspaceBytes)(const CoreShape& shape, Element element) = nullptr;

  /// Writes the gradients that follow from dy [b, n, h, v]. Two kernels, no atomics: the same bits
  /// in every run.
  CudaOutcome (*backward)(const CudaCoreInputs& inputs,
                          const CudaPairIndex& index,
                          const void* dy,
                          const CudaCoreGradients& gradients,
                          void* workspace,
                          const CudaQueue& queue) = nullptr;

  /// Makes the images of a batch and their labels. One kernel.
  CudaOutcome (*makeImageBatch)(const CudaImageBatch& batch, const CudaQueue& queue) = nullptr;

  /// Updates all weights of a network and computes the norm of their gradients. Three kernels, no
  /// atomics.
  CudaOutcome (*updateWeights)(const CudaWeightUpdate& update, const CudaQueue& queue) = nullptr;

  /// lambda::wkvForward() with all operands on the device. One kernel.
  CudaOutcome (*wkvForward)(const WkvShape& shape,
                            const WkvInputs& inputs,
                            const WkvStates& states,
                            float* out,
                            const CudaQueue& queue) = nullptr;

  /// lambda::wkvBackward() with all operands on the device. The workspace has 2 numbers for each
  /// sequence and channel. Two kernels, no atomics.
  CudaOutcome (*wkvBackward)(const WkvShape& shape,
                             const WkvInputs& inputs,
                             const float* chunks,
                             const float* dOut,
                             const WkvGradients& gradients,
                             double* workspace,
                             const CudaQueue& queue) = nullptr;
};

/// The name and the type of the one function that the plugin exports.
inline constexpr const char* kCudaKernelsSymbol = "lambdaCudaKernels";
using GetCudaKernels = const CudaKernels* (*)();

}  // namespace lambda
