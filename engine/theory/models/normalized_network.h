#pragma once

#include <vector>

#include <Eigen/Core>

#include "engine/theory/draws.h"

namespace lambda::theory {

/// The operations between two matrices of a NormalizedNetwork.
enum class Normalization {
  batch,  ///< Batch normalisation of every unit over the batch, then ReLU.
  layer,  ///< ReLU, then layer normalisation of every sample over its units.
};

/// A stack of square matrices without biases, [d, d] each. After each but the last stand ReLU and a
/// normalisation with gain and shift. Activations are [d, B], a sample a column.
template <class Scalar>
class NormalizedNetwork {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Initial weights uniform in +-1/sqrt(d), as those of torch.nn.Linear; gains 1, shifts 0.
  NormalizedNetwork(Normalization kind, int d, int layers, Draws& draws);

  /// The outputs [d, B] of inputs [d, B]. Keeps what gradients() needs.
  Matrix outputs(const Matrix& inputs);

  /// The gradients of a function of the last outputs with respect to the parameters, in their
  /// order, given its gradient with respect to those outputs, [d, B].
  std::vector<Matrix> gradients(const Matrix& outputGradient) const;

  /// Of every layer: the matrix, and but for the last the gain [d, 1] and the shift [d, 1].
  std::vector<Matrix>& parameters() { return parameters_; }

 private:
  struct Layer {
    Matrix inputs;
    Matrix rectified;   // What ReLU has let pass: outputs of the layer or of ReLU.
    Matrix normalized;  // Before gain and shift.
    Vector scales;      // One over the standard deviation: of every unit, or of every sample.
  };

  Matrix normalized(const Matrix& values, Layer& layer) const;
  Matrix normalizationGradient(const Layer& layer, const Matrix& gradient) const;

  Normalization kind_;
  std::vector<Matrix> parameters_;
  std::vector<Layer> layers_;
};

extern template class NormalizedNetwork<float>;
extern template class NormalizedNetwork<double>;

}  // namespace lambda::theory
