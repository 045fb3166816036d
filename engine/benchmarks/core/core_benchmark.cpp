#include "engine/benchmarks/core/core_benchmark.h"

#include <algorithm>

#include <ATen/Parallel.h>

#include "engine/benchmarks/core/core_check.h"
#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/device/device_memory.h"
#include "engine/benchmarks/measuring/rotation.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/layers/lambda/core_shape_of.h"
#include "engine/layers/layer_path.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

/// Peak memory of a form's first passes, without inputs, outputs and gradients.
std::optional<std::uint64_t> extraBytesOf(const CoreForm& form,
                                          const CoreTensors& tensors,
                                          const CoreEmbeddings& embeddings) {
  std::uint64_t outputs = 0;
  const auto growth = peakGrowthOn(tensors.dy.device(), [&] {
    const at::Tensor y = form.apply(tensors.operands, embeddings);
    outputs += y.nbytes();
    for (const at::Tensor& gradient : gradientsOf(form, y, tensors, embeddings))
      outputs += gradient.nbytes();
  });
  if (!growth) return std::nullopt;
  return *growth - std::min(*growth, outputs);
}

/// The order of the fused kernel; none on a GPU, whose kernel has one order.
std::optional<CoreOrder> orderThatRuns(const LambdaOperands& operands,
                                       const CoreEmbeddings& embeddings,
                                       CoreOrder asked) {
  if (!operands.queries.is_cpu()) return std::nullopt;
  CoreShape shape = coreShapeOf(operands.queries, operands.keys, operands.values, embeddings.table);
  shape.order = asked;
  return coreOrderOf(shape, embeddings.pairRows.const_data_ptr<std::int32_t>());
}

/// The path of the fused kernel in words.
std::string pathOf(const LambdaOperands& operands,
                   const CoreEmbeddings& embeddings,
                   CoreOrder asked) {
  const LayerInput input = LayerInput::of(operands.queries, operands.values);
  if (!input.isOnCpu) return textOf({LayerKernel::cudaCore}, input);
  const TableRows& rows = embeddings.rows;
  CoreShape shape =
      coreShapeOf(operands.queries, operands.keys, operands.values, embeddings.table, rows.window);
  shape.order = asked;
  const auto* rowOf = rows.window ? nullptr : rows.pairRows.const_data_ptr<std::int32_t>();
  return textOf({coreKernel(shape, rowOf, input.type == Element::bfloat16)}, input);
}

/// One case with its tensors.
class CoreMeasurement {
 public:
  CoreMeasurement(const CoreCase& shape, const CoreBenchmarkOptions& options)
      : shape_(shape),
        options_(options),
        device_(torchDevice(options.device)),
        type_(options.precision == Precision::bfloat16 ? at::kBFloat16 : at::kFloat),
        batch_(shape.imagesOf(options.batch)),
        forms_(coreForms(shape, options.order, device_)),
        tensors_(makeCoreTensors(shape, batch_, type_, device_)),
        embeddings_(makeEmbeddings(shape, type_, device_)),
        order_(orderThatRuns(tensors_.operands, embeddings_, options.order)),
        path_(pathOf(tensors_.operands, embeddings_, options.order)) {}

  std::vector<BenchmarkRow> run() {
    warmUp();
    for (const CoreForm& form : forms_) {
      timed_.push_back({form.name, {}, {}, extraBytesOf(form, tensors_, embeddings_)});
    }
    const std::vector<double> distances =
        checkForms(forms_, tensors_, embeddings_, options_.precision);
    for (std::size_t i = 0; i < forms_.size(); ++i) timed_[i].relativeError = distances[i];
    return time();
  }

 private:
  /// Runs a small case, so that code and thread stacks are resident before memory is measured.
  void warmUp() {
    const CoreCase small{2, 8 * shape_.heads};
    const CoreTensors tensors = makeCoreTensors(small, 2, type_, device_);
    const CoreEmbeddings embeddings = makeEmbeddings(small, type_, device_);
    for (const CoreForm& form : coreForms(small, options_.order, device_))
      gradientsOf(form, form.apply(tensors.operands, embeddings), tensors, embeddings);
  }

  std::vector<BenchmarkRow> time() {
    const TensorMemoryReuse reuse;
    const AlternationOptions turns{.repetitions = options_.repetitions,
                                   .secondsAtMost = options_.secondsAtMost};
    const std::size_t uses =
        static_cast<std::size_t>(turns.warmUps + turns.repetitions) * forms_.size();
    Rotation<CoreTensors> sets(
        tensors_, tensors_.bytes(), cacheBytesOf(device_), uses, [](const CoreTensors& first) {
          return changed(first, [](const at::Tensor& tensor) { return tensor.clone(); });
        });
    std::vector<NextCall> forward, both;
    for (const CoreForm& form : forms_) {
      forward.emplace_back([&]() -> TimedCall {
        return [this, &form, &tensors = sets.next()](const EndPart& endPart) {
          const at::NoGradGuard noGradients;
          const at::Tensor y = form.apply(tensors.operands, embeddings_);
          endPart();
        };
      });
      both.emplace_back([&]() -> TimedCall {
        return [this, &form, &tensors = sets.next()](const EndPart& endPart) {
          const at::Tensor y = form.apply(tensors.operands, embeddings_);
          endPart();
          const auto gradients = gradientsOf(form, y, tensors, embeddings_);
          endPart();
        };
      });
    }
    const TimesInTurns forwards = timeInTurns(device_, forward, turns);
    const TimesInTurns boths = timeInTurns(device_, both, turns);
    return {row("forward", CorePass::forward, forwards, &Repetitions::total),
            row("backward",
                CorePass::backward,
                boths,
                [](const Repetitions& each) { return each.part(1); }),
            row("forward+backward", CorePass::both, boths, &Repetitions::total)};
  }

  BenchmarkRow row(const std::string& pass,
                   CorePass counted,
                   const TimesInTurns& times,
                   const std::function<Timing(const Repetitions&)>& timing) const {
    const CoreCost cost = costOf(shape_, batch_, counted, options_.precision);
    BenchmarkRow row{.name = shape_.name() + " " + pass,
                     .batch = batch_,
                     .threads = options_.device.threads,
                     .precision = options_.precision,
                     .repetitions = times.measured.front().count(),
                     .order = order_,
                     .path = path_,
                     .flops = cost.flops,
                     .bytes = cost.bytes,
                     .forms = timed_};
    for (std::size_t i = 0; i < row.forms.size(); ++i) {
      row.forms[i].time = timing(times.measured[i]);
      if (!times.called.empty() && counted != CorePass::backward)
        row.forms[i].called = times.called[i].total();
      if (counted != CorePass::both) row.forms[i].extraBytes = std::nullopt;
    }
    return row;
  }

  const CoreCase& shape_;
  const CoreBenchmarkOptions& options_;
  at::Device device_;
  at::ScalarType type_;
  int batch_;
  std::vector<CoreForm> forms_;
  CoreTensors tensors_;
  CoreEmbeddings embeddings_;
  std::optional<CoreOrder> order_;
  std::string path_;
  std::vector<TimedForm> timed_;
};

}  // namespace

std::vector<BenchmarkRow> runCoreBenchmark(const CoreCase& shape,
                                           const CoreBenchmarkOptions& options) {
  at::set_num_threads(options.device.threads);
  at::manual_seed(options.seed);
  requireKernels(torchDevice(options.device));
  Recipe recipe;
  recipe.batchSize = options.batch;
  return explainingFailures(
      shape.name(), recipe, [&] { return CoreMeasurement(shape, options).run(); });
}

}  // namespace lambda
