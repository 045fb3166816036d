#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

namespace lambda {

/// The values of a tensor in float32; null if it is undefined.
inline const float* floatData(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
}

inline float* floatTarget(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

/// The tensors of a lambda layer, as applyFusedLayer() keeps them for its backward pass, and as its
/// kernels take them. Those of missing keys, norms and embeddings are undefined.
class LayerTensors {
 public:
  /// Autograd differentiates by these tensors.
  enum Input : std::size_t {
    kX,            ///< x [b, d, H, W], channels last
    kQueryWeight,  ///< [h k, d]
    kValueWeight,  ///< [u v, d]
    kKeyWeight,    ///< [u k, d]
    kQueryScale,   ///< [h k], as the next
    kQueryShift,
    kValueScale,  ///< [u v], as the next
    kValueShift,
    kTable,  ///< R [rows, u, k]
    kInputs  ///< Their number.
  };

  /// The backward pass needs these too. They are saved behind the inputs.
  enum Saved : std::size_t {
    kTableRows = kInputs,  ///< [n, m], see CoreInputs::tableRowOf
    kZ,                    ///< z [b n, columnsOf(operandsShape())]
    kKeys,                 ///< kbar [b n, u k]
    kQueryMean,            ///< [h k], as the next; see NormMoments
    kQueryInverse,
    kValueMean,  ///< [u v], as the next
    kValueInverse,
    kCount  ///< The number of all tensors.
  };

  LayerTensors(std::vector<at::Tensor> tensors,
               std::int64_t heads,
               std::int64_t intraDepth,
               const std::optional<LocalWindow>& window = {},
               bool isPooled = false);

  const at::Tensor& operator[](std::size_t i) const { return tensors_[i]; }

  /// Whether the layer's output is pooled, by the core's kernel or after it.
  bool isPooled() const { return isPooled_; }

  const float* data(std::size_t i) const { return floatData(tensors_[i]); }

  OperandsShape operandsShape() const;

  /// The shape has a pooling if the layer is pooled and the kernel of the core takes the means.
  /// May read all of tableRows.
  CoreShape coreShape() const;

  OperandData<const float> weights() const;
  OperandNorms norms() const;

  /// The inputs of the core, without queries and values.
  CoreInputs coreInputs() const;

 private:
  std::vector<at::Tensor> tensors_;
  std::int64_t heads_;
  std::int64_t intraDepth_;
  std::optional<LocalWindow> window_;
  bool isPooled_;
};

}  // namespace lambda
