#include "engine/layers/norm/fused_norm.h"

#include <vector>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/norm/activation.h"
#include "engine/layers/norm/joint_norm.h"
#include "engine/layers/norm/norm_moments.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

BatchNormShape shapeOf(const at::Tensor& x, bool hasRelu) {
  return {x.numel() / x.size(1), x.size(1), elementOf(x), hasRelu};
}

/// The moments of x. In training, also updates the running statistics with them.
NormMoments batchMoments(torch::nn::BatchNorm2dImpl& norm, const at::Tensor& x) {
  const BatchNormShape shape = shapeOf(x, false);
  const auto channels = static_cast<std::size_t>(shape.channels);
  std::vector<double> mean(channels), variance(channels);
  batchNormStatistics(shape, x.const_data_ptr(), mean.data(), variance.data(), onTorchThreads);
  return takeBatchMoments(norm, mean.data(), variance.data(), shape.rows);
}

class FusedNorm : public torch::autograd::Function<FusedNorm> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            const std::optional<at::Tensor>& residual,
                            const NormMoments& moments,
                            bool isTraining,
                            bool hasRelu) {
    const at::Tensor y = emptyChannelsLast(x.sizes(), x.options());
    batchNormForward(shapeOf(x, hasRelu),
                     x.const_data_ptr(),
                     residual ? residual->const_data_ptr() : nullptr,
                     moments.data(),
                     affineOf(weight, bias),
                     y.mutable_data_ptr(),
                     onTorchThreads);
    // Without a residual, the backward pass finds the sign of y from x.
    const bool needsOutput = residual && hasRelu;
    context->save_for_backward(
        {x, weight, bias, moments.mean, moments.inverseDeviation, needsOutput ? y : at::Tensor()});
    context->saved_data["isTraining"] = isTraining;
    context->saved_data["hasRelu"] = hasRelu;
    context->saved_data["hasResidual"] = residual.has_value();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "fused norm: second derivatives are not supported; compute in float64, or without "
                "channels-last memory");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &y = saved[5];
    const at::Tensor dy = outputs[0].contiguous(at::MemoryFormat::ChannelsLast);
    const BatchNormShape shape = shapeOf(x, context->saved_data["hasRelu"].toBool());
    const at::Tensor dx = emptyChannelsLast(x.sizes(), x.options());
    const at::Tensor dWeight = at::empty_like(weight), dBias = at::empty_like(weight);
    at::Tensor dResidual;
    if (y.defined()) dResidual = emptyChannelsLast(x.sizes(), x.options());
    batchNormBackward(shape,
                      x.const_data_ptr(),
                      y.defined() ? y.const_data_ptr() : nullptr,
                      dy.const_data_ptr(),
                      NormMoments{saved[3], saved[4]}.data(),
                      affineOf(weight, saved[2]),
                      context->saved_data["isTraining"].toBool(),
                      {dx.mutable_data_ptr(),
                       dResidual.defined() ? dResidual.mutable_data_ptr() : nullptr,
                       dWeight.mutable_data_ptr<float>(),
                       dBias.mutable_data_ptr<float>()},
                      onTorchThreads);
    const bool passesOn = context->saved_data["hasResidual"].toBool() && !shape.hasRelu;
    return {
        dx, dWeight, dBias, passesOn ? dy : dResidual, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

bool canFuse(const torch::nn::BatchNorm2dImpl& norm,
             const at::Tensor& x,
             const at::Tensor& residual) {
  const bool isSupported =
      isPixelRows(x) && hasKernelForm(norm) && x.size(1) == norm.weight.numel();
  const bool hasSpread = x.numel() > x.size(1) || !usesBatchStatistics(norm);
  const bool residualMatches =
      !residual.defined() || (isPixelRows(residual) && residual.sizes() == x.sizes() &&
                              residual.scalar_type() == x.scalar_type());
  return isSupported && hasSpread && residualMatches;
}

}  // namespace

at::Tensor applyPlainNorm(torch::nn::BatchNorm2d& norm,
                          const at::Tensor& x,
                          const AfterNorm& after) {
  // In evaluation, LibTorch's module would add the batch's statistics to the running ones.
  const bool keepsStatistics = !norm->is_training() && !norm->options.track_running_stats();
  at::Tensor y = isJoint(*norm)    ? applyJointNorm(*norm, x)
                 : keepsStatistics ? at::batch_norm(x,
                                                    norm->weight,
                                                    norm->bias,
                                                    /*running_mean=*/{},
                                                    /*running_var=*/{},
                                                    /*training=*/true,
                                                    /*momentum=*/0,
                                                    norm->options.eps(),
                                                    /*cudnn_enabled=*/true)
                                   : norm(x);
  if (after.residual.defined()) y = y + after.residual;
  return after.activation ? activate(y, *after.activation) : y;
}

at::Tensor applyNorm(torch::nn::BatchNorm2d& norm, const at::Tensor& x, const AfterNorm& after) {
  if (!canFuse(*norm, x, after.residual)) return applyPlainNorm(norm, x, after);
  const bool isTraining = usesBatchStatistics(*norm);
  NormMoments moments;
  {
    const at::NoGradGuard noGrad;
    moments = isTraining ? batchMoments(*norm, x) : runningMoments(*norm);
  }
  const bool hasRelu = after.activation == Activation::relu;
  const at::Tensor y =
      FusedNorm::apply(x,
                       norm->weight,
                       norm->bias,
                       after.residual.defined() ? std::optional(after.residual) : std::nullopt,
                       moments,
                       isTraining,
                       hasRelu);
  return hasRelu || !after.activation ? y : activate(y, *after.activation);
}

}  // namespace lambda
