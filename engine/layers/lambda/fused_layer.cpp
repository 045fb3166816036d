#include "engine/layers/lambda/fused_layer.h"

#include <array>
#include <optional>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>

#include "engine/kernels/lambda_core/pooling_windows.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "engine/layers/channels_last.h"
#include "engine/layers/lambda/core_kernel.h"
#include "engine/layers/lambda/core_shape_of.h"
#include "engine/layers/lambda/layer_tensors.h"
#include "engine/layers/norm/norm_moments.h"
#include "engine/layers/once_differentiable.h"
#include "engine/layers/pooling.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using enum LayerTensors::Input;
using enum LayerTensors::Saved;

constexpr const char* kUsesBatchStatistics = "usesBatchStatistics";
constexpr const char* kHeads = "heads";
constexpr const char* kIntraDepth = "intraDepth";
constexpr const char* kIsPooled = "isPooled";

/// Whether the norms take the statistics of the batch.
bool useBatchStatistics(const OperandModules& modules) {
  return (modules.queryNorm && usesBatchStatistics(*modules.queryNorm)) ||
         (modules.valueNorm && usesBatchStatistics(*modules.valueNorm));
}

/// The moments by which a norm normalises its columns of z, which begin at `first`. `batch` has
/// those of all columns.
NormMoments momentsOf(torch::nn::BatchNorm2d& norm,
                      const ColumnMoments& batch,
                      std::int64_t first,
                      std::int64_t rows) {
  if (!norm) return {};
  if (!usesBatchStatistics(*norm)) return runningMoments(*norm);
  return takeBatchMoments(*norm, batch.mean + first, batch.variance + first, rows);
}

class FusedLayer : public torch::autograd::Function<FusedLayer> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& x,
                            const at::Tensor& queryWeight,
                            const at::Tensor& valueWeight,
                            const std::optional<at::Tensor>& keyWeight,
                            const std::optional<at::Tensor>& queryScale,
                            const std::optional<at::Tensor>& queryShift,
                            const std::optional<at::Tensor>& valueScale,
                            const std::optional<at::Tensor>& valueShift,
                            const std::optional<at::Tensor>& table,
                            const std::optional<at::Tensor>& tableRows,
                            const std::optional<LocalWindow>& window,
                            bool isPooled,
                            const OperandModules& modules) {
    variable_list tensors(LayerTensors::kCount);
    tensors[kX] = x;
    const std::array<std::optional<at::Tensor>, kInputs - 1> others{
        queryWeight, valueWeight, keyWeight, queryScale, queryShift, valueScale, valueShift, table};
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others[i]) tensors[i + 1] = others[i]->contiguous();
    }
    if (tableRows) tensors[kTableRows] = tableRows->contiguous();
    const bool batchStatistics = useBatchStatistics(modules);
    const at::Tensor y = computed(tensors, modules, window, isPooled, batchStatistics);
    context->save_for_backward(tensors);
    context->saved_data[kUsesBatchStatistics] = batchStatistics;
    context->saved_data[kHeads] = modules.heads;
    context->saved_data[kIntraDepth] = modules.intraDepth;
    context->saved_data[kWindow] = saved(window);
    context->saved_data[kIsPooled] = isPooled;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& outputs) {
    requireOnceDifferentiable("lambda layer");
    const LayerTensors tensors(context->get_saved_variables(),
                               context->saved_data[kHeads].toInt(),
                               context->saved_data[kIntraDepth].toInt(),
                               savedWindow(context->saved_data[kWindow]),
                               context->saved_data[kIsPooled].toBool());
    const OperandsShape shape = tensors.operandsShape();
    const CoreShape core = tensors.coreShape();
    at::Tensor dy = outputs[0].contiguous(at::MemoryFormat::ChannelsLast);
    if (tensors.isPooled() && !core.pooling)
      dy = poolAverageBackward(dy, tensors[kX].size(2), tensors[kX].size(3));
    const auto like = [&](std::size_t i) {
      return tensors[i].defined() ? at::empty_like(tensors[i]) : at::Tensor();
    };
    // The table's gradient comes with the others.
    variable_list gradients = wanted(*context, tensors);
    gradients[kTable] = like(kTable);
    const std::int64_t rows = shape.images * shape.positions;
    const at::TensorOptions floats = tensors[kZ].options();
    const at::Tensor dQueries = at::empty({rows, shape.queryColumns}, floats);
    const at::Tensor dValues = at::empty({rows, shape.valueColumns}, floats);
    const at::Tensor dKeys = like(kKeys);
    const OperandData<const float> dOperands{
        floatData(dQueries), floatData(dValues), floatData(dKeys)};
    const ColumnScales scales(shape, tensors.norms());
    OperandSums sums(shape);
    applyCoreBackward(
        core,
        tensors.coreInputs(),
        dy,
        {floatTarget(dQueries),
         floatTarget(dKeys),
         floatTarget(dValues),
         floatTarget(gradients[kTable])},
        [&](std::int64_t first, std::int64_t count, float* queries, float* values) {
          normalizeOperands(
              shape, tensors.data(kZ), scales, {queries, values, nullptr}, first, count);
        },
        [&](std::int64_t first, std::int64_t count) {
          sumOperandGradients(
              shape, tensors.data(kZ), scales, tensors.data(kKeys), dOperands, first, count, sums);
        });
    operandGradients(shape,
                     tensors[kX].const_data_ptr(),
                     tensors.weights(),
                     tensors.data(kZ),
                     tensors.data(kKeys),
                     tensors.norms(),
                     context->saved_data[kUsesBatchStatistics].toBool(),
                     dOperands,
                     sums,
                     {gradients[kX].defined() ? gradients[kX].mutable_data_ptr() : nullptr,
                      {floatTarget(gradients[kQueryWeight]),
                       floatTarget(gradients[kValueWeight]),
                       floatTarget(gradients[kKeyWeight])},
                      floatTarget(gradients[kQueryScale]),
                      floatTarget(gradients[kQueryShift]),
                      floatTarget(gradients[kValueScale]),
                      floatTarget(gradients[kValueShift])},
                     onTorchThreads);
    return gradients;
  }

 private:
  /// Computes y from the inputs, and fills in the tensors that are saved.
  static at::Tensor computed(variable_list& tensors,
                             const OperandModules& modules,
                             const std::optional<LocalWindow>& window,
                             bool isPooled,
                             bool batchStatistics) {
    const OperandsShape shape =
        LayerTensors(tensors, modules.heads, modules.intraDepth).operandsShape();
    const std::int64_t rows = shape.images * shape.positions, columns = columnsOf(shape);
    const at::TensorOptions floats = tensors[kX].options().dtype(at::kFloat);
    tensors[kZ] = at::empty({rows, columns}, floats);
    std::vector<double> mean(batchStatistics ? columns : 0), variance(mean.size());
    const ColumnMoments moments =
        batchStatistics ? ColumnMoments{mean.data(), variance.data()} : ColumnMoments();
    projectOperands(shape,
                    tensors[kX].const_data_ptr(),
                    LayerTensors(tensors, modules.heads, modules.intraDepth).weights(),
                    floatTarget(tensors[kZ]),
                    moments,
                    onTorchThreads);
    const auto take =
        [&](torch::nn::BatchNorm2d& norm, std::int64_t first, std::size_t m, std::size_t inverse) {
          const NormMoments found = momentsOf(norm, moments, first, rows);
          tensors[m] = found.mean, tensors[inverse] = found.inverseDeviation;
        };
    take(modules.queryNorm, 0, kQueryMean, kQueryInverse);
    take(modules.valueNorm, paddedColumns(shape.queryColumns), kValueMean, kValueInverse);
    if (shape.keyColumns > 0) tensors[kKeys] = at::empty({rows, shape.keyColumns}, floats);

    const LayerTensors all(tensors, modules.heads, modules.intraDepth, window, isPooled);
    const CoreShape core = all.coreShape();
    const ColumnScales scales(shape, all.norms());
    float* keys = floatTarget(tensors[kKeys]);
    const std::int64_t keysOfImage = shape.positions * shape.keyColumns;
    const at::Tensor y = applyCoreKernel(
        core,
        all.coreInputs(),
        shape.element == Element::bfloat16,
        [&](std::int64_t first, std::int64_t count, float* queries, float* values) {
          normalizeOperands(shape,
                            all.data(kZ),
                            scales,
                            {queries, values, keys ? keys + first * keysOfImage : nullptr},
                            first,
                            count);
        });
    const std::int64_t height = tensors[kX].size(2), width = tensors[kX].size(3);
    if (core.pooling) return pixelsAsMap(y, pooledSide(height), pooledSide(width));
    const at::Tensor map = pixelsAsMap(y, height, width);
    return isPooled ? poolAverage(map) : map;
  }

  /// Tensors for the gradients that autograd asks for; those of the weights come together.
  static variable_list wanted(AutogradContext& context, const LayerTensors& tensors) {
    // One for each argument of forward() but the context.
    variable_list gradients(kInputs + 4);
    bool wantsWeights = false;
    std::size_t edge = 0;  // Autograd counts only inputs that are defined.
    for (std::size_t i = 0; i < kInputs; ++i) {
      if (!tensors[i].defined() || !context.needs_input_grad(edge++)) continue;
      gradients[i] = at::empty_like(tensors[i]);
      wantsWeights |= i >= kQueryWeight && i <= kKeyWeight;
    }
    for (std::size_t i = kQueryWeight; i <= kKeyWeight && wantsWeights; ++i) {
      if (tensors[i].defined() && !gradients[i].defined())
        gradients[i] = at::empty_like(tensors[i]);
    }
    return gradients;
  }
};

bool hasTypeOf(const torch::nn::Conv2d& projection, const torch::nn::Conv2d& other) {
  return !projection || (projection->weight.is_cpu() &&
                         projection->weight.scalar_type() == other->weight.scalar_type());
}

/// The weights in float32. With an input in bfloat16, they and their gradients are rounded to it,
/// as by autocast.
at::Tensor weightOf(const torch::nn::Conv2d& projection, const at::Tensor& x) {
  return projection->weight.to(x.scalar_type()).to(at::kFloat);
}

bool isSupported(const torch::nn::BatchNorm2d& norm, const torch::nn::Conv2d& projection) {
  return !norm || (hasKernelForm(*norm) && norm->weight.numel() == projection->weight.size(0));
}

/// Whether all norms take their statistics from the same place.
bool agree(const torch::nn::BatchNorm2d& a, const torch::nn::BatchNorm2d& b) {
  return !a || !b || usesBatchStatistics(*a) == usesBatchStatistics(*b);
}

std::optional<at::Tensor> scaleOf(const torch::nn::BatchNorm2d& norm) {
  return norm ? std::optional(norm->weight) : std::nullopt;
}

std::optional<at::Tensor> shiftOf(const torch::nn::BatchNorm2d& norm) {
  return norm ? std::optional(norm->bias) : std::nullopt;
}

}  // namespace

bool fitKernels(const OperandModules& modules, const at::Tensor& x) {
  return hasTypeOf(modules.values, modules.queries) && hasTypeOf(modules.keys, modules.queries) &&
         isSupported(modules.queryNorm, modules.queries) &&
         isSupported(modules.valueNorm, modules.values) &&
         agree(modules.queryNorm, modules.valueNorm) &&
         (x.numel() > x.size(1) || !useBatchStatistics(modules));
}

at::Tensor applyFusedLayer(const at::Tensor& x,
                           const OperandModules& modules,
                           const at::Tensor& table,
                           const TableRows& rows,
                           bool isPooled) {
  return FusedLayer::apply(x,
                           weightOf(modules.queries, x),
                           weightOf(modules.values, x),
                           modules.keys ? std::optional(weightOf(modules.keys, x)) : std::nullopt,
                           scaleOf(modules.queryNorm),
                           shiftOf(modules.queryNorm),
                           scaleOf(modules.valueNorm),
                           shiftOf(modules.valueNorm),
                           ifDefined(table),
                           ifDefined(rows.pairRows),
                           rows.window,
                           isPooled,
                           modules);
}

}  // namespace lambda
