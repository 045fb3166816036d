#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// How an update by Muon moves filters. Scalars lie where the filters are.
struct MuonStep {
  at::Tensor rate;  ///< float32 [1]: size of the update as a share of the filters' norm.
  double momentum = 0;
  bool nesterov = true;
  at::Tensor gradientScale = {};  ///< float32, gradients are multiplied by it; undefined = 1.
  at::Tensor moves = {};          ///< bool, false: all stays as it is; undefined = true.
};

/// The polar factor of a matrix [rows, columns], nearly: three steps of a Newton-Schulz iteration
/// bring its singular values towards 1, those above a fiftieth of its norm to 0.68 to 1.21, without
/// a decomposition.
at::Tensor orthogonalized(const at::Tensor& matrix);

/// An update by Muon (Jordan et al., 2024: "Muon: An optimizer for hidden layers in neural
/// networks") of filters [out, in, height, width] that a norm follows, so that their size means
/// nothing. Seen as a matrix of a row a filter, all directions of the momentum are learnt about
/// equally fast. The filters are kept at a root mean square norm of 1:
///   firstMoment = momentum firstMoment + g;  o = orthogonalized(g + momentum firstMoment), or of
///   firstMoment alone w = w sqrt(out) / |w| - rate sqrt(out / min(out, in height width)) o
/// `weight` and `firstMoment` change in place; nothing waits for their device.
void updateByMuon(const MuonStep& step,
                  const at::Tensor& weight,
                  const at::Tensor& gradient,
                  const at::Tensor& firstMoment);

}  // namespace lambda
