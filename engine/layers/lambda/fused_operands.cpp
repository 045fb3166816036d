#include "engine/layers/lambda/fused_operands.h"

#include <algorithm>
#include <array>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/norm/norm_moments.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kTrainsNorms = "trainsNorms";

/// Tensors that the autograd function takes, in this order. Those of missing keys and norms are
/// undefined.
enum Input { kX, kQueries, kValues, kKeys, kQueryScale, kQueryShift, kValueScale, kValueShift };

constexpr std::size_t kInputs = kValueShift + 1;

/// Tensors that the backward pass needs after the inputs.
enum Saved : std::size_t {
  kZ = kInputs,
  kKeysAfterSoftmax,
  kQueryMean,
  kQueryInverse,
  kValueMean,
  kValueInverse
};

std::int64_t columnsOfWeight(const at::Tensor& weight) {
  return weight.defined() ? weight.size(0) : 0;
}

OperandsShape shapeOf(const at::Tensor& x,
                      const at::Tensor& queries,
                      const at::Tensor& values,
                      const at::Tensor& keys) {
  return {x.size(0),
          x.size(2) * x.size(3),
          x.size(1),
          columnsOfWeight(queries),
          columnsOfWeight(values),
          columnsOfWeight(keys),
          elementOf(x)};
}

const float* floatData(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
}

float* floatTarget(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
}

OperandNorm normOf(const NormMoments& moments, const at::Tensor& scale, const at::Tensor& shift) {
  if (!moments.mean.defined()) return {};
  return {moments.data(), affineOf(scale, shift)};
}

/// The norm's moments: of its columns of z, or its running ones.
NormMoments momentsOf(torch::nn::BatchNorm2d& norm,
                      const at::Tensor& mean,
                      const at::Tensor& variance,
                      std::int64_t first,
                      std::int64_t rows) {
  if (!norm) return {};
  if (!usesBatchStatistics(*norm)) return runningMoments(*norm);
  const std::int64_t columns = norm->weight.numel();
  return takeBatchMoments(
      *norm, mean.narrow(0, first, columns), variance.narrow(0, first, columns), rows);
}

/// Whether the norms take the statistics of the batch.
bool trainNorms(const OperandModules& modules) {
  return (modules.queryNorm && usesBatchStatistics(*modules.queryNorm)) ||
         (modules.valueNorm && usesBatchStatistics(*modules.valueNorm));
}

/// Whether all norms take their statistics from the same place.
bool agree(const OperandModules& modules) {
  return !modules.queryNorm || !modules.valueNorm ||
         usesBatchStatistics(*modules.queryNorm) == usesBatchStatistics(*modules.valueNorm);
}

class Operands : public torch::autograd::Function<Operands> {
 public:
  static variable_list forward(AutogradContext* context,
                               const at::Tensor& x,
                               const at::Tensor& queryWeight,
                               const at::Tensor& valueWeight,
                               const std::optional<at::Tensor>& keyWeight,
                               const std::optional<at::Tensor>& queryScale,
                               const std::optional<at::Tensor>& queryShift,
                               const std::optional<at::Tensor>& valueScale,
                               const std::optional<at::Tensor>& valueShift,
                               const OperandModules& modules) {
    const at::Tensor queries = queryWeight.contiguous(), values = valueWeight.contiguous();
    const at::Tensor keys = keyWeight ? keyWeight->contiguous() : at::Tensor();
    const OperandsShape shape = shapeOf(x, queries, values, keys);
    const std::int64_t rows = shape.images * shape.positions;
    const at::TensorOptions floats = x.options().dtype(at::kFloat);
    const at::Tensor z = at::empty({rows, columnsOf(shape)}, floats);
    const bool trains = trainNorms(modules);
    at::Tensor mean, variance;
    ColumnMoments moments;
    if (trains) {
      mean = at::empty({columnsOf(shape)}, at::kDouble);
      variance = at::empty_like(mean);
      moments = {mean.mutable_data_ptr<double>(), variance.mutable_data_ptr<double>()};
    }
    projectOperands(shape,
                    x.const_data_ptr(),
                    {floatData(queries), floatData(values), floatData(keys)},
                    z.mutable_data_ptr<float>(),
                    moments,
                    onTorchThreads);
    const NormMoments ofQueries = momentsOf(modules.queryNorm, mean, variance, 0, rows);
    const NormMoments ofValues =
        momentsOf(modules.valueNorm, mean, variance, paddedColumns(shape.queryColumns), rows);

    const auto operand = [&](std::int64_t columns) {
      return columns > 0 ? at::empty({shape.images, shape.positions, columns}, floats)
                         : at::Tensor();
    };
    const variable_list operands{
        operand(shape.queryColumns), operand(shape.valueColumns), operand(shape.keyColumns)};
    const at::Tensor none;
    normalizeOperands(
        shape,
        z.const_data_ptr<float>(),
        {normOf(ofQueries, queryScale.value_or(none), queryShift.value_or(none)),
         normOf(ofValues, valueScale.value_or(none), valueShift.value_or(none))},
        {floatTarget(operands[0]), floatTarget(operands[1]), floatTarget(operands[2])},
        onTorchThreads);
    context->save_for_backward({x,
                                queries,
                                values,
                                keys,
                                queryScale.value_or(none),
                                queryShift.value_or(none),
                                valueScale.value_or(none),
                                valueShift.value_or(none),
                                z,
                                operands[2],
                                ofQueries.mean,
                                ofQueries.inverseDeviation,
                                ofValues.mean,
                                ofValues.inverseDeviation});
    context->saved_data[kTrainsNorms] = trains;
    return keyWeight ? operands : variable_list{operands[0], operands[1]};
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("operands of the lambda core");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[kX];
    const OperandsShape shape = shapeOf(x, saved[kQueries], saved[kValues], saved[kKeys]);
    const at::Tensor dQueries = outputs[0].contiguous(), dValues = outputs[1].contiguous();
    const at::Tensor dKeys = shape.keyColumns > 0 ? outputs[2].contiguous() : at::Tensor();

    std::array<bool, kInputs> wants{};
    std::size_t edge = 0;  // Autograd counts only inputs that are defined.
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (saved[i].defined()) wants[i] = context->needs_input_grad(edge++);
    }
    variable_list gradients(kInputs + 1);
    if (wants[kX]) gradients[kX] = at::empty_like(x);
    if (wants[kQueries] || wants[kValues] || wants[kKeys]) {
      for (const Input weight : {kQueries, kValues, kKeys}) {
        if (saved[weight].defined()) gradients[weight] = at::empty_like(saved[weight]);
      }
    }
    for (const Input affine : {kQueryScale, kQueryShift, kValueScale, kValueShift}) {
      if (wants[affine]) gradients[affine] = at::empty_like(saved[affine]);
    }
    const NormMoments ofQueries{saved[kQueryMean], saved[kQueryInverse]};
    const NormMoments ofValues{saved[kValueMean], saved[kValueInverse]};
    operandGradients(
        shape,
        x.const_data_ptr(),
        {floatData(saved[kQueries]), floatData(saved[kValues]), floatData(saved[kKeys])},
        saved[kZ].const_data_ptr<float>(),
        floatData(saved[kKeysAfterSoftmax]),
        {normOf(ofQueries, saved[kQueryScale], saved[kQueryShift]),
         normOf(ofValues, saved[kValueScale], saved[kValueShift])},
        context->saved_data[kTrainsNorms].toBool(),
        {floatData(dQueries), floatData(dValues), floatData(dKeys)},
        {gradients[kX].defined() ? gradients[kX].mutable_data_ptr() : nullptr,
         {floatTarget(gradients[kQueries]),
          floatTarget(gradients[kValues]),
          floatTarget(gradients[kKeys])},
         floatTarget(gradients[kQueryScale]),
         floatTarget(gradients[kQueryShift]),
         floatTarget(gradients[kValueScale]),
         floatTarget(gradients[kValueShift])},
        onTorchThreads);
    return gradients;
  }
};

std::optional<at::Tensor> scaleOf(const torch::nn::BatchNorm2d& norm) {
  return norm ? std::optional(norm->weight) : std::nullopt;
}

std::optional<at::Tensor> shiftOf(const torch::nn::BatchNorm2d& norm) {
  return norm ? std::optional(norm->bias) : std::nullopt;
}

bool isFloat(const torch::nn::Conv2d& projection) {
  return !projection ||
         (projection->weight.is_cpu() && projection->weight.scalar_type() == at::kFloat);
}

bool isSupported(const torch::nn::BatchNorm2d& norm, const torch::nn::Conv2d& projection) {
  return !norm || (hasKernelForm(*norm) && norm->weight.numel() == projection->weight.size(0));
}

}  // namespace

bool canFuseOperands(const at::Tensor& x, const OperandModules& modules) {
  const bool projects = isPixelRows(x) && x.size(1) % kOperandsDepth == 0 &&
                        isFloat(modules.queries) && isFloat(modules.values) &&
                        isFloat(modules.keys);
  return projects && isSupported(modules.queryNorm, modules.queries) &&
         isSupported(modules.valueNorm, modules.values) && agree(modules) &&
         (x.numel() > x.size(1) || !trainNorms(modules));
}

OperandRows fusedOperands(const at::Tensor& x, const OperandModules& modules) {
  const std::optional<at::Tensor> keyWeight =
      modules.keys ? std::optional(modules.keys->weight) : std::nullopt;
  const variable_list operands = Operands::apply(x,
                                                 modules.queries->weight,
                                                 modules.values->weight,
                                                 keyWeight,
                                                 scaleOf(modules.queryNorm),
                                                 shiftOf(modules.queryNorm),
                                                 scaleOf(modules.valueNorm),
                                                 shiftOf(modules.valueNorm),
                                                 modules);
  return {operands[0], operands[1], modules.keys ? operands[2] : at::Tensor()};
}

}  // namespace lambda
