#include "engine/benchmarks/wkv/wkv_benchmark.h"

#include <functional>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/device/device_memory.h"
#include "engine/benchmarks/exactness.h"
#include "engine/benchmarks/measuring/rotation.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/sequences/wkv.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/tensor_memory.h"

namespace lambda {

namespace {

/// The tensors of a call; the operands are leaves of autograd.
struct WkvTensors {
  WkvOperands operands;
  at::Tensor dy;  ///< [b, n, d]
};

struct WkvForm {
  std::string name;
  std::function<at::Tensor(const WkvOperands&)> apply;
};

/// The wkv token by token, as one writes it in PyTorch: the sums are kept relative to the greatest
/// exponent so far. The tokens are taken apart at once; the gradient of each taken by its index
/// would be as large as the whole sequence.
at::Tensor loopOverTokens(const WkvOperands& operands) {
  const at::Tensor rate = operands.decay.exp();
  at::Tensor num = at::zeros_like(operands.keys.select(1, 0)), den = num;
  at::Tensor greatest = at::full_like(num, -1e38);
  const std::vector<at::Tensor> keys = operands.keys.unbind(1);
  const std::vector<at::Tensor> values = operands.values.unbind(1);
  std::vector<at::Tensor> outputs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const at::Tensor &key = keys[i], &value = values[i];
    const at::Tensor now = key + operands.bonus, most = at::maximum(greatest, now);
    const at::Tensor past = at::exp(greatest - most), present = at::exp(now - most);
    outputs.push_back((past * num + present * value) / (past * den + present));
    const at::Tensor lowered = greatest - rate, next = at::maximum(lowered, key);
    const at::Tensor kept = at::exp(lowered - next), added = at::exp(key - next);
    num = kept * num + added * value;
    den = kept * den + added;
    greatest = next;
  }
  return at::stack(outputs, 1);
}

WkvTensors changed(const WkvTensors& tensors,
                   const std::function<at::Tensor(const at::Tensor&)>& change) {
  const auto leaf = [&](const at::Tensor& tensor) {
    return change(tensor.detach()).requires_grad_(true);
  };
  const WkvOperands& from = tensors.operands;
  return {{leaf(from.keys), leaf(from.values), leaf(from.decay), leaf(from.bonus)},
          change(tensors.dy)};
}

/// Rates from about 0.01 to 3 per token, as trained ones.
WkvTensors makeTensors(const WkvCase& shape, int batch) {
  const auto sequences = [&] { return at::randn({batch, shape.length, shape.channels}); };
  const at::Tensor decay = at::randn({shape.channels}) * 1.5 - 1.5;
  const WkvTensors made{{sequences(), sequences(), decay, at::randn({shape.channels})},
                        sequences()};
  return changed(made, [](const at::Tensor& tensor) { return tensor; });
}

std::vector<at::Tensor> gradientsOf(const at::Tensor& y, const WkvTensors& tensors) {
  const WkvOperands& of = tensors.operands;
  return torch::autograd::grad({y}, {of.keys, of.values, of.decay, of.bonus}, {tensors.dy});
}

/// The gradients and the output.
std::vector<at::Tensor> outcomesOf(const WkvForm& form, const WkvTensors& tensors) {
  const at::Tensor y = form.apply(tensors.operands);
  std::vector<at::Tensor> all = gradientsOf(y, tensors);
  all.push_back(y.detach());
  return all;
}

std::vector<TimedForm> checkedForms(const std::vector<WkvForm>& forms, const WkvTensors& tensors) {
  const WkvTensors exact =
      changed(tensors, [](const at::Tensor& tensor) { return tensor.to(at::kDouble); });
  const std::vector<at::Tensor> expected = outcomesOf(forms.back(), exact);
  std::vector<TimedForm> checked;
  for (const WkvForm& form : forms) {
    const PoisonedTensors poisoned;
    const double distance = relativeDistance(outcomesOf(form, tensors), expected);
    requireExact(form.name, distance, Precision::float32);
    checked.push_back({form.name, {}, distance, {}});
  }
  return checked;
}

std::vector<BenchmarkRow> measuredRows(const WkvCase& shape, const WkvBenchmarkOptions& options) {
  const std::vector<WkvForm> forms{{"kernel", wkv}, {"loop over tokens", loopOverTokens}};
  const WkvTensors tensors = makeTensors(shape, options.batch);
  const std::vector<TimedForm> checked = checkedForms(forms, tensors);

  const TensorMemoryReuse reuse;
  const AlternationOptions turns{.repetitions = options.repetitions,
                                 .secondsAtMost = options.secondsAtMost};
  const std::size_t uses =
      static_cast<std::size_t>(turns.warmUps + turns.repetitions) * forms.size();
  Rotation<WkvTensors> sets(
      tensors, 3 * tensors.dy.nbytes(), cacheBytesOf(at::kCPU), uses, [](const WkvTensors& first) {
        return changed(first, [](const at::Tensor& tensor) { return tensor.clone(); });
      });
  std::vector<NextCall> forward, both;
  for (const WkvForm& form : forms) {
    forward.emplace_back([&]() -> TimedCall {
      return [&form, &set = sets.next()](const EndPart& endPart) {
        const at::NoGradGuard noGradients;
        const at::Tensor y = form.apply(set.operands);
        endPart();
      };
    });
    both.emplace_back([&]() -> TimedCall {
      return [&form, &set = sets.next()](const EndPart& endPart) {
        const at::Tensor y = form.apply(set.operands);
        endPart();
        const auto gradients = gradientsOf(y, set);
        endPart();
      };
    });
  }
  const TimesInTurns forwards = timeInTurns(at::kCPU, forward, turns);
  const TimesInTurns boths = timeInTurns(at::kCPU, both, turns);
  const auto row = [&](const char* pass,
                       CorePass counted,
                       const TimesInTurns& times,
                       const std::function<Timing(const Repetitions&)>& timing) {
    BenchmarkRow made{.name = shape.name() + " " + pass,
                      .batch = options.batch,
                      .threads = options.device.threads,
                      .repetitions = times.measured.front().count(),
                      .path = runningSumsText(/*hasKernel=*/true),
                      .bytes = bytesOf(shape, options.batch, counted),
                      .forms = checked};
    for (std::size_t i = 0; i < forms.size(); ++i) made.forms[i].time = timing(times.measured[i]);
    return made;
  };
  return {row("forward", CorePass::forward, forwards, &Repetitions::total),
          row("backward",
              CorePass::backward,
              boths,
              [](const Repetitions& each) { return each.part(1); }),
          row("forward+backward", CorePass::both, boths, &Repetitions::total)};
}

}  // namespace

std::string WkvCase::name() const {
  return "n=" + std::to_string(length) + " d=" + std::to_string(channels);
}

double bytesOf(const WkvCase& shape, int batch, CorePass pass) {
  const double numbers = static_cast<double>(batch) * static_cast<double>(shape.length) *
                         static_cast<double>(shape.channels);
  // Keys, values and outputs; keys, values and the three gradients; or each of these six.
  const double tensors = pass == CorePass::forward ? 3 : (pass == CorePass::backward ? 5 : 6);
  return tensors * numbers * sizeof(float);
}

std::vector<WkvCase> standardWkvCases() {
  return {{128, 128}, {512, 512}, {1024, 768}};
}

std::vector<BenchmarkRow> runWkvBenchmark(const WkvCase& shape,
                                          const WkvBenchmarkOptions& options) {
  at::set_num_threads(options.device.threads);
  at::manual_seed(options.seed);
  Recipe recipe;
  recipe.batchSize = options.batch;
  return explainingFailures(shape.name(), recipe, [&] { return measuredRows(shape, options); });
}

}  // namespace lambda
