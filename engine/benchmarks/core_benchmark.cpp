#include "engine/benchmarks/core_benchmark.h"

#include <algorithm>

#include <ATen/Parallel.h>

#include "engine/benchmarks/alternation.h"
#include "engine/benchmarks/core_check.h"
#include "engine/benchmarks/peak_memory.h"
#include "engine/benchmarks/rotation.h"
#include "engine/kernels/lambda_core/core_order.h"
#include "engine/layers/lambda/core_shape_of.h"
#include "engine/runtime/tensor_memory.h"

namespace lambda {

namespace {

/// Peak memory of a form's first passes, without inputs, outputs and gradients.
std::optional<std::uint64_t> extraBytesOf(const CoreForm& form,
                                          const CoreTensors& tensors,
                                          const CoreEmbeddings& embeddings) {
  std::uint64_t outputs = 0;
  const auto growth = peakGrowth([&] {
    const at::Tensor y = form.apply(tensors.operands, embeddings);
    outputs += y.nbytes();
    for (const at::Tensor& gradient : gradientsOf(form, y, tensors, embeddings))
      outputs += gradient.nbytes();
  });
  if (!growth) return std::nullopt;
  return *growth - std::min(*growth, outputs);
}

CoreOrder orderThatRuns(const LambdaOperands& operands,
                        const CoreEmbeddings& embeddings,
                        CoreOrder asked) {
  CoreShape shape = coreShapeOf(operands.queries, operands.keys, operands.values, embeddings.table);
  shape.order = asked;
  return coreOrderOf(shape, embeddings.pairRows.const_data_ptr<std::int32_t>());
}

/// One case with its tensors.
class CoreMeasurement {
 public:
  CoreMeasurement(const CoreCase& shape, const CoreBenchmarkOptions& options)
      : shape_(shape),
        options_(options),
        type_(options.precision == Precision::bfloat16 ? at::kBFloat16 : at::kFloat),
        batch_(shape.imagesOf(options.batch)),
        forms_(coreForms(shape, options.order)),
        tensors_(makeCoreTensors(shape, batch_, type_)),
        embeddings_(makeEmbeddings(shape, type_)),
        order_(orderThatRuns(tensors_.operands, embeddings_, options.order)) {}

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
    const CoreCase small{2, shape_.heads};
    const CoreTensors tensors = makeCoreTensors(small, 2, type_);
    const CoreEmbeddings embeddings = makeEmbeddings(small, type_);
    for (const CoreForm& form : coreForms(small, options_.order))
      gradientsOf(form, form.apply(tensors.operands, embeddings), tensors, embeddings);
  }

  std::vector<BenchmarkRow> time() {
    const TensorMemoryReuse reuse;
    const AlternationOptions turns{.repetitions = options_.repetitions,
                                   .secondsAtMost = options_.secondsAtMost};
    const std::size_t uses =
        static_cast<std::size_t>(turns.warmUps + turns.repetitions) * forms_.size();
    Rotation<CoreTensors> sets(tensors_, tensors_.bytes(), uses, [](const CoreTensors& first) {
      return changed(first, [](const at::Tensor& tensor) { return tensor.clone(); });
    });
    std::vector<std::function<Laps()>> forward, both;
    for (const CoreForm& form : forms_) {
      forward.emplace_back([&] {
        const CoreTensors& tensors = sets.next();
        const at::NoGradGuard noGradients;
        Stopwatch clock;
        const at::Tensor y = form.apply(tensors.operands, embeddings_);
        clock.lap();
        return clock.laps();
      });
      both.emplace_back([&] {
        const CoreTensors& tensors = sets.next();
        Stopwatch clock;
        const at::Tensor y = form.apply(tensors.operands, embeddings_);
        clock.lap();
        const auto gradients = gradientsOf(form, y, tensors, embeddings_);
        clock.lap();
        return clock.laps();
      });
    }
    const std::vector<Repetitions> forwards = alternate(forward, turns);
    const std::vector<Repetitions> boths = alternate(both, turns);
    return {row("forward", CorePass::forward, forwards, &Repetitions::total),
            row("backward",
                CorePass::backward,
                boths,
                [](const Repetitions& each) { return each.part(1); }),
            row("forward+backward", CorePass::both, boths, &Repetitions::total)};
  }

  BenchmarkRow row(const std::string& pass,
                   CorePass counted,
                   const std::vector<Repetitions>& repetitions,
                   const std::function<Timing(const Repetitions&)>& timing) const {
    const CoreCost cost = costOf(shape_, batch_, counted, options_.precision);
    BenchmarkRow row{.name = shape_.name() + " " + pass,
                     .batch = batch_,
                     .threads = options_.threads,
                     .precision = options_.precision,
                     .repetitions = repetitions.front().count(),
                     .order = order_,
                     .flops = cost.flops,
                     .bytes = cost.bytes,
                     .forms = timed_};
    for (std::size_t i = 0; i < row.forms.size(); ++i) {
      row.forms[i].time = timing(repetitions[i]);
      if (counted != CorePass::both) row.forms[i].extraBytes = std::nullopt;
    }
    return row;
  }

  const CoreCase& shape_;
  const CoreBenchmarkOptions& options_;
  at::ScalarType type_;
  int batch_;
  std::vector<CoreForm> forms_;
  CoreTensors tensors_;
  CoreEmbeddings embeddings_;
  CoreOrder order_;
  std::vector<TimedForm> timed_;
};

}  // namespace

std::vector<BenchmarkRow> runCoreBenchmark(const CoreCase& shape,
                                           const CoreBenchmarkOptions& options) {
  at::set_num_threads(options.threads);
  at::manual_seed(options.seed);
  return CoreMeasurement(shape, options).run();
}

}  // namespace lambda
