#pragma once

#include <cstdint>

#include "engine/kernels/cuda/images/image_batch.h"
#include "engine/kernels/cuda/update/weight_update.h"
#include "engine/kernels/element.h"
#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

// What lambda-kernels-cuda.so offers to the program that opens it: functions and plain structures,
// no CUDA header. All work is queued, none is waited for, so calls can be captured in a CUDA graph;
// nothing is allocated.

/// Changes with anything below: a program and a plugin of different versions don't go together.
inline constexpr std::int32_t kCudaKernelsVersion = 5;

/// Where work is queued.
struct CudaQueue {
  int device = 0;
  void* stream = nullptr;  ///< A cudaStream_t of the device.
};

/// How a call went.
struct CudaOutcome {
  int code = 0;                ///< 0 = well; a cudaError_t, or -1 for operands that don't fit.
  const char* text = nullptr;  ///< What went wrong; null where nothing did. Lives for ever.
};

/// What enters the core, contiguous and on the device. Elements are float32 or bfloat16, which are
/// multiplied as they are and summed in float32.
struct CudaCoreInputs {
  CoreShape shape;  ///< k up to 64; queries come first whatever the order says.
  Element element = Element::float32;
  const void* queries = nullptr;             ///< q [b, n, h, k]
  const void* keys = nullptr;                ///< kbar [b, m u, k], after the softmax.
  const void* values = nullptr;              ///< v [b, m u, v]
  const void* table = nullptr;               ///< R [rows, u, k]
  const std::int32_t* tableRowOf = nullptr;  ///< [n, m]: the row of e_nm; -1 = outside the window.
  std::int64_t pairCount = 0;                ///< Pairs (n, m) inside the window.
  void* contentLambdas = nullptr;  ///< kbar^T v [b, k, v]; made by forward, read by backward.
};

/// The pairs of each row of the table: those of row r are pairs[starts[r]] to pairs[starts[r + 1]].
struct CudaPairIndex {
  const std::int32_t* pairs = nullptr;   ///< [pairCount], a pair (n, m) as n * positions + m.
  const std::int32_t* starts = nullptr;  ///< [rows + 1]
};

/// Where the gradients of the inputs go; written, not added to. Null where the input is.
struct CudaCoreGradients {
  void* queries = nullptr;
  void* keys = nullptr;
  void* values = nullptr;
  float* table = nullptr;  ///< float32 for either element: sums over all images.
};

struct CudaKernels {
  std::int32_t version = kCudaKernelsVersion;

  /// Whether the kernels run on a device: compute capability 8.0 or later.
  CudaOutcome (*checkDevice)(int device) = nullptr;

  /// y [b, n, h, v], elements as of the inputs. One kernel.
  CudaOutcome (*forward)(const CudaCoreInputs& inputs, void* y, const CudaQueue& queue) = nullptr;

  /// Bytes that `backward` needs for itself, aligned to 256.
  std::int64_t (*workspaceBytes)(const CoreShape& shape, Element element) = nullptr;

  /// The gradients from dy [b, n, h, v]. Two kernels, no atomics: the same bits in every run.
  CudaOutcome (*backward)(const CudaCoreInputs& inputs,
                          const CudaPairIndex& index,
                          const void* dy,
                          const CudaCoreGradients& gradients,
                          void* workspace,
                          const CudaQueue& queue) = nullptr;

  /// The images of a batch and their labels. One kernel.
  CudaOutcome (*makeImageBatch)(const CudaImageBatch& batch, const CudaQueue& queue) = nullptr;

  /// All weights of a network, and the norm of their gradients. Three kernels, no atomics.
  CudaOutcome (*updateWeights)(const CudaWeightUpdate& update, const CudaQueue& queue) = nullptr;
};

/// Name of the one function that the plugin exports, and its type.
inline constexpr const char* kCudaKernelsSymbol = "lambdaCudaKernels";
using GetCudaKernels = const CudaKernels* (*)();

}  // namespace lambda
