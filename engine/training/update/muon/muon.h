#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// The settings of one update by Muon. The tensors are on the device of the filters.
struct MuonStep {
  at::Tensor rate;  ///< float32 [1]: size of the update as a share of the filters' norm.
  double momentum = 0;
  bool nesterov = true;
  at::Tensor gradientScale = {};  ///< float32 factor of the gradients; undefined = 1.
  at::Tensor moves = {};          ///< bool, false = nothing changes; undefined = true.
};

/// Approximates the polar factor of a matrix [rows, columns] without a decomposition. Three steps
/// of a Newton-Schulz iteration bring its singular values towards 1; those above a fiftieth of its
/// norm end between 0.68 and 1.21.
at::Tensor orthogonalized(const at::Tensor& matrix);

/// Updates filters [out, in, height, width] by Muon (Jordan et al., 2024: "Muon: An optimizer for
/// hidden layers in neural networks"). A norm must follow the filters, so that their scale does not
/// matter. With each filter as a row of a matrix, all directions of the momentum are learnt about
/// equally fast. The filters are kept at a root mean square norm of 1:
///
///   firstMoment = momentum firstMoment + g
///   o = orthogonalized(g + momentum firstMoment)  with nesterov, else orthogonalized(firstMoment)
///   w = w sqrt(out) / |w| - rate sqrt(out / min(out, in height width)) o
///
/// `weight` and `firstMoment` change in place; nothing waits for their device.
void updateByMuon(const MuonStep& step,
                  const at::Tensor& weight,
                  const at::Tensor& gradient,
                  const at::Tensor& firstMoment);

}  // namespace lambda
