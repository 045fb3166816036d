#pragma once

#include <optional>

#include "engine/layers/norm/fused_norm.h"
#include "engine/layers/roled_module.h"

namespace lambda {

struct ConvolutionUnitOptions {
  std::int64_t inputDepth = 64;
  std::int64_t outputDepth = 64;
  int kernelSize = 3;
  int stride = 1;
  int padding = -1;  ///< Pixels of zeros; -1 = half the kernel size.
  std::optional<Activation> activation = std::nullopt;  ///< None: the unit ends with its norm.
  bool zeroInit = false;                                ///< The norm's scale starts at 0.
  ParameterRole role = ParameterRole::filter;           ///< Role of the filters.
  bool fixedFilters = false;  ///< The filters are set from outside and not trained.
};

/// A convolution without bias, a batch norm and an activation. Filters are initialised from a
/// normal distribution of fan-out variance (He et al., 2015). Input [b, inputDepth, H, W]; output
/// [b, outputDepth, H', W'].
class ConvolutionUnitImpl : public RoledModule {
 public:
  explicit ConvolutionUnitImpl(const ConvolutionUnitOptions& options);

  at::Tensor forward(const at::Tensor& x);

  /// The unit as the end of a residual branch, with `after` in place of its activation.
  at::Tensor forwardThen(const at::Tensor& x, const AfterNorm& after);

  ConvolutionUnitOptions options;
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d norm;
};

TORCH_MODULE(ConvolutionUnit);

}  // namespace lambda
