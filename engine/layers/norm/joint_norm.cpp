#include "engine/layers/norm/joint_norm.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/runtime/processes/processes.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

thread_local Processes* jointProcesses = nullptr;
thread_local bool countsInJointBatch = true;

std::vector<std::int64_t> pixelDimensions() {
  return {0, 2, 3};
}

/// Values [c] for every pixel of a map.
at::Tensor perChannel(const at::Tensor& values, const at::Tensor& like) {
  return values.to(like.options()).view({1, -1, 1, 1});
}

struct JointMoments {
  at::Tensor mean;      // [c] float64
  at::Tensor variance;  // [c] float64, biased
  double rows = 0;      // Pixels of the joint batch.
};

/// Merges the moments of all processes (Chan, Golub and LeVeque, 1983), which is as exact as if one
/// process had them all.
JointMoments jointMoments(const at::Tensor& x, Processes& processes, bool counts) {
  const std::int64_t channels = x.size(1);
  const auto [variance, mean] = at::var_mean(x, pixelDimensions(), /*unbiased=*/false);
  // A row for each process: n, the means, the variances.
  at::Tensor all = at::zeros({processes.size(), 1 + 2 * channels}, at::kDouble);
  if (counts) {
    at::Tensor own = all[processes.rank()];
    own[0].fill_(x.numel() / channels);
    own.narrow(0, 1, channels).copy_(mean);
    own.narrow(0, 1 + channels, channels).copy_(variance);
  }
  processes.sum(all);
  const at::Tensor n = all.narrow(1, 0, 1);
  const at::Tensor means = all.narrow(1, 1, channels);
  const at::Tensor variances = all.narrow(1, 1 + channels, channels);
  JointMoments joint;
  joint.rows = n.sum().item<double>();
  joint.mean = (n * means).sum(0) / joint.rows;
  joint.variance = (n * (variances + (means - joint.mean).square())).sum(0) / joint.rows;
  return joint;
}

class JointNorm : public torch::autograd::Function<JointNorm> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            const at::Tensor& mean,
                            const at::Tensor& inverseDeviation,
                            double rows,
                            Processes* processes,
                            bool counts) {
    context->save_for_backward({x, weight, mean, inverseDeviation});
    context->saved_data["rows"] = rows;
    context->saved_data["counts"] = counts;
    context->saved_data["processes"] = reinterpret_cast<std::int64_t>(processes);
    const at::Tensor values = x.to(weight.scalar_type());
    const at::Tensor normalized =
        (values - perChannel(mean, values)) * perChannel(inverseDeviation, values);
    return (normalized * perChannel(weight, values) + perChannel(bias, values)).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const double rows = context->saved_data["rows"].toDouble();
    auto& processes = *reinterpret_cast<Processes*>(context->saved_data["processes"].toInt());
    const at::Tensor dy = outputs[0].to(weight.scalar_type());
    const at::Tensor inverseDeviation = perChannel(saved[3], dy);
    const at::Tensor normalized =
        (x.to(weight.scalar_type()) - perChannel(saved[2], dy)) * inverseDeviation;
    const at::Tensor dBias = dy.sum(pixelDimensions());
    const at::Tensor dWeight = (dy * normalized).sum(pixelDimensions());
    at::Tensor sums = at::stack({dBias, dWeight}).to(at::kCPU, at::kDouble);
    processes.sum(sums);
    sums /= rows;
    at::Tensor dx = perChannel(weight, dy) * inverseDeviation *
                    (dy - perChannel(sums[0], dy) - normalized * perChannel(sums[1], dy));
    // The moments do not depend on a batch that is no part of the joint one.
    if (!context->saved_data["counts"].toBool()) dx.zero_();
    return {dx.to(x.scalar_type()),
            dWeight,
            dBias,
            at::Tensor(),
            at::Tensor(),
            at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }
};

void moveTowards(at::Tensor& running, const at::Tensor& batch, double momentum) {
  running.lerp_(batch.to(running.options()), momentum);
}

}  // namespace

JointNorms::JointNorms(Processes* processes, bool counts)
    : before_(std::exchange(jointProcesses, processes)),
      countedBefore_(std::exchange(countsInJointBatch, counts)) {}

JointNorms::~JointNorms() {
  jointProcesses = before_;
  countsInJointBatch = countedBefore_;
}

bool isJoint(const torch::nn::BatchNorm2dImpl& norm) {
  return jointProcesses != nullptr && norm.is_training();
}

at::Tensor applyJointNorm(torch::nn::BatchNorm2dImpl& norm, const at::Tensor& x) {
  JointMoments joint;
  at::Tensor inverseDeviation;
  {
    const at::NoGradGuard noGradient;
    joint = jointMoments(x.to(norm.weight.scalar_type()), *jointProcesses, countsInJointBatch);
    TORCH_CHECK(joint.rows > 1, "a norm needs more than one value per channel of the joint batch");
    inverseDeviation = (joint.variance + norm.options.eps()).rsqrt();
    const double momentum = norm.options.momentum().value();
    moveTowards(norm.running_mean, joint.mean, momentum);
    moveTowards(norm.running_var, joint.variance * (joint.rows / (joint.rows - 1)), momentum);
    if (norm.options.track_running_stats()) norm.num_batches_tracked.add_(1);
  }
  return JointNorm::apply(x,
                          norm.weight,
                          norm.bias,
                          joint.mean,
                          inverseDeviation,
                          joint.rows,
                          jointProcesses,
                          countsInJointBatch);
}

}  // namespace lambda
