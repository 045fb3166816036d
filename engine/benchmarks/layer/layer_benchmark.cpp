#include "engine/benchmarks/layer/layer_benchmark.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/Parallel.h>

#include "engine/benchmarks/core/core_check.h"
#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/device/device_memory.h"
#include "engine/benchmarks/device/without_tf32.h"
#include "engine/benchmarks/exactness.h"
#include "engine/benchmarks/layer/attention_forms.h"
#include "engine/benchmarks/layer/layer_forms.h"
#include "engine/benchmarks/measuring/rotation.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "engine/layers/layer_path.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/step/autocast.h"

namespace lambda {

namespace {

/// A norm's gradients over fewer values are differences of nearly equal sums.
constexpr int kFewestNormalized = 256;

/// Scores are rounded to bfloat16 before their exponential, which multiplies the rounding.
constexpr double kSlackOfExponentials = 4;

/// On a CPU without products in bfloat16, LibTorch's convolutions add the filter gradients of the
/// images up in bfloat16, so that the error grows with the root of their number.
constexpr double kSlackOfRoundedSums = 5;

constexpr double kFloatSize = 4;
constexpr double kBfloat16Size = 2;

int outputSideOf(const LayerCase& shape) {
  return (shape.side + shape.stride - 1) / shape.stride;
}

struct LayerTensors {
  at::Tensor x;   ///< [b, d, H, W], channels last; a leaf of autograd.
  at::Tensor dy;  ///< [b, d, H', W']
};

LayerTensors changed(const LayerTensors& tensors,
                     const std::function<at::Tensor(const at::Tensor&)>& change) {
  return {change(tensors.x.detach()).requires_grad_(true), change(tensors.dy)};
}

/// The relatives of the lambda layer that are timed beside it, with the names of their forms.
std::vector<std::pair<std::string, Mixer>> relatives() {
  return {{"self-attention", SelfAttentionMixer{}},
          {"local attention 7x7", LocalAttentionMixer{}},
          {"axial attention", AxialAttentionMixer{}},
          {"linear attention", LinearAttentionMixer{}}};
}

LambdaLayerOptions optionsOf(const LayerCase& shape) {
  LambdaMixer mixer;
  mixer.queryDepth = shape.queryDepth;
  mixer.heads = shape.heads;
  return {mixer, shape.depth, shape.depth, shape.side, shape.side};
}

/// One case with its tensors and weights.
class LayerMeasurement {
 public:
  LayerMeasurement(const LayerCase& shape, const LayerBenchmarkOptions& options)
      : shape_(shape),
        options_(options),
        device_(torchDevice(options.device)),
        type_(options.precision == Precision::bfloat16 ? at::kBFloat16 : at::kFloat),
        layer_(optionsOf(shape)),
        convolution_(convolutionOptions(shape)) {
    layer_->to(device_);
    convolution_->to(device_);
    moveAwayFromStart(layer_->queryNorm);
    moveAwayFromStart(layer_->valueNorm);
    prepare(layer_->parameters());
    prepare(convolution_->parameters());
    const LayerWeights weights = weightsOf(layer_, at::kFloat);
    forms_ = {engineLayer(shape, layer_),
              convolutionLayer(convolution_),
              plainConvolution(shape, convolution_->weight)};
    for (const CoreForm& core : coreForms(shape.core())) {
      if (core.name != "fused") forms_.push_back(plainLayer(shape, weights, core));
    }
    for (const auto& [name, mixer] : relatives()) {
      relatives_.push_back(mixerLayer(shape, name, mixer));
      relatives_.back().module->to(device_);
      prepare(relatives_.back().module->parameters());
      forms_.push_back(relatives_.back().form);
      if (const auto form = torchForm(shape, relatives_.back())) forms_.push_back(*form);
    }
  }

  std::vector<BenchmarkRow> run() {
    check();
    return time();
  }

 private:
  static torch::nn::Conv2dOptions convolutionOptions(const LayerCase& shape) {
    return torch::nn::Conv2dOptions(shape.depth, shape.depth, 3)
        .stride(shape.stride)
        .padding(1)
        .bias(false);
  }

  /// A new norm has the scale 1 and the shift 0, which would hide that one of them is left out.
  static void moveAwayFromStart(torch::nn::BatchNorm2d norm) {
    const torch::NoGradGuard noGradients;
    norm->weight.uniform_(0.5, 1.5);
    norm->bias.normal_();
  }

  /// Converts weights to channels-last and rounds them to the precision, so that the check measures
  /// the computation and not the rounding of its inputs.
  void prepare(const std::vector<at::Tensor>& weights) const {
    for (at::Tensor weight : weights) {
      const at::Tensor rounded = weight.detach().to(type_).to(at::kFloat);
      weight.set_data(weight.dim() == 4 ? rounded.contiguous(at::MemoryFormat::ChannelsLast)
                                        : rounded);
    }
  }

  /// `dy` has a mean in each channel. A sum of gradients over all images, such as that of a norm's
  /// shift, would otherwise be a small difference of large sums, and mostly their rounding.
  LayerTensors makeTensors(int batch) {
    const std::int64_t d = shape_.depth, side = shape_.side, outputSide = outputSideOf(shape_);
    const LayerTensors made{at::randn({batch, d, side, side}),
                            at::randn({batch, d, outputSide, outputSide}) + at::randn({d, 1, 1})};
    return changed(made, [this](const at::Tensor& tensor) {
      return tensor.to(device_, type_).contiguous(at::MemoryFormat::ChannelsLast);
    });
  }

  LayerForm exactForm(const LayerForm& form) const {
    if (form.name.starts_with("convolution")) {
      const at::Tensor weight = convolution_->weight.detach().to(at::kDouble);
      return plainConvolution(shape_, weight.requires_grad_(true));
    }
    if (const std::optional<LayerForm> relative = exactRelative(form.name)) return *relative;
    return plainLayer(shape_, weightsOf(layer_, at::kDouble), attentionOrder());
  }

  /// The relative of which `name` is a form, in float64; none if there is none.
  std::optional<LayerForm> exactRelative(const std::string& name) const {
    const auto mixers = relatives();
    for (std::size_t i = 0; i < mixers.size(); ++i) {
      if (!name.starts_with(mixers[i].first)) continue;
      const MixerLayer exact = mixerLayer(shape_, name, mixers[i].second);
      exact.module->to(device_, at::kDouble);
      const torch::NoGradGuard noGradients;
      for (std::size_t j = 0; j < exact.form.parameters.size(); ++j) {
        at::Tensor parameter = exact.form.parameters[j];
        parameter.copy_(relatives_[i].form.parameters[j]);
      }
      return exact.form;
    }
    return std::nullopt;
  }

  /// How many times the tolerance a form may be off.
  double slackOf(const std::string& name) const {
    if (options_.precision != Precision::bfloat16 || name == forms_.front().name) return 1;
    if (exactRelative(name)) return kSlackOfExponentials;
    return device_.is_cpu() && !hasPairUnit(PairUnit::vectors) ? kSlackOfRoundedSums : 1;
  }

  void check() {
    const WithoutTf32 withoutTf32;
    const int positions = shape_.core().positions();
    const int fewestImages = (kFewestNormalized + positions - 1) / positions;
    const LayerTensors tensors = makeTensors(std::max(options_.batch, fewestImages));
    const LayerTensors exact =
        changed(tensors, [](const at::Tensor& tensor) { return tensor.to(at::kDouble); });
    for (const LayerForm& form : forms_) {
      const std::vector<at::Tensor> expected = outcomesOf(exactForm(form), exact.x, exact.dy);
      const PoisonedTensors poisoned(device_);
      const Autocast autocast(options_.precision, device_.type());
      const double distance = relativeDistance(outcomesOf(form, tensors.x, tensors.dy), expected);
      requireExact(form.name, distance, options_.precision, slackOf(form.name));
      timed_.push_back({form.name, {}, distance, {}});
    }
  }

  std::vector<BenchmarkRow> time() {
    const TensorMemoryReuse reuse;
    const AlternationOptions turns{.repetitions = options_.repetitions,
                                   .secondsAtMost = options_.secondsAtMost};
    const std::size_t uses =
        static_cast<std::size_t>(turns.warmUps + turns.repetitions) * forms_.size();
    const LayerTensors first = makeTensors(options_.batch);
    Rotation<LayerTensors> sets(
        first,
        first.x.nbytes() + first.dy.nbytes(),
        cacheBytesOf(device_),
        uses,
        [](const LayerTensors& tensors) {
          return changed(tensors, [](const at::Tensor& tensor) { return tensor.clone(); });
        });
    std::vector<NextCall> forward, both;
    for (const LayerForm& form : forms_) {
      forward.emplace_back([&]() -> TimedCall {
        return [this, &form, &tensors = sets.next()](const EndPart& endPart) {
          const at::NoGradGuard noGradients;
          const at::Tensor y = applied(form, tensors.x);
          endPart();
        };
      });
      both.emplace_back([&]() -> TimedCall {
        return [this, &form, &tensors = sets.next()](const EndPart& endPart) {
          const at::Tensor y = applied(form, tensors.x);
          const auto gradients = gradientsOf(form, y, tensors.x, tensors.dy);
          endPart();
        };
      });
    }
    const TimesInTurns forwards = timeInTurns(device_, forward, turns);
    const TimesInTurns boths = timeInTurns(device_, both, turns);
    return {row("forward", CorePass::forward, forwards),
            row("forward+backward", CorePass::both, boths)};
  }

  at::Tensor applied(const LayerForm& form, const at::Tensor& x) const {
    const Autocast autocast(options_.precision, device_.type());
    return form.apply(x);
  }

  /// The path of the engine's layer in words.
  std::string path() const {
    const bool isRounded = options_.precision == Precision::bfloat16;
    const LayerInput input{.type = isRounded ? Element::bfloat16 : Element::float32,
                           .isOnCpu = device_.is_cpu(),
                           .isPixelRows = device_.is_cpu(),
                           .isAutocast = isRounded && device_.is_cpu()};
    const LambdaPlace place{.mixer = layer_->options.mixer,
                            .images = options_.batch,
                            .inputDepth = shape_.depth,
                            .outputDepth = shape_.depth,
                            .map = {shape_.depth, shape_.side, shape_.side},
                            .isPooled = shape_.stride > 1};
    return textOf(lambdaPath(place, input, ComputeUnits::of(device_)), input);
  }

  BenchmarkRow row(const std::string& pass, CorePass counted, const TimesInTurns& times) const {
    const CoreCost cost = costOf(shape_, options_.batch, counted, options_.precision);
    BenchmarkRow row{.name = shape_.name() + " " + pass,
                     .batch = options_.batch,
                     .threads = options_.device.threads,
                     .precision = options_.precision,
                     .repetitions = times.measured.front().count(),
                     .path = path(),
                     .flops = cost.flops,
                     .bytes = cost.bytes,
                     .forms = timed_};
    for (std::size_t i = 0; i < row.forms.size(); ++i) {
      row.forms[i].time = times.measured[i].total();
      if (!times.called.empty()) row.forms[i].called = times.called[i].total();
    }
    return row;
  }

  const LayerCase& shape_;
  const LayerBenchmarkOptions& options_;
  at::Device device_;
  at::ScalarType type_;
  LambdaLayer layer_;
  torch::nn::Conv2d convolution_;
  std::vector<MixerLayer> relatives_;
  std::vector<LayerForm> forms_;
  std::vector<TimedForm> timed_;
};

}  // namespace

std::string LayerCase::name() const {
  return core().name() + (stride > 1 ? " stride " + std::to_string(stride) : "");
}

CoreCost costOf(const LayerCase& shape, int batch, CorePass pass, Precision precision) {
  const CoreCase core = shape.core();
  const double b = batch, d = shape.depth, n = core.positions();
  const double projected = shape.heads * shape.queryDepth + shape.queryDepth + core.valueDepth();
  const double outputs = outputSideOf(shape) * outputSideOf(shape);
  const double maps = b * d * (n + outputs);
  // The means of scores and queries save so much in products with values and content lambda.
  const double saved = 2 * b * (n - outputs) * d * (n + shape.queryDepth);
  CoreCost cost = costOf(core, batch, pass, precision);
  const double passes = cost.flops / costOf(core, batch, CorePass::forward, precision).flops;
  cost.flops += passes * (2 * b * n * d * projected - saved);
  cost.bytes = (pass == CorePass::both ? 2 : 1) * maps *
               (precision == Precision::bfloat16 ? kBfloat16Size : kFloatSize);
  return cost;
}

std::vector<LayerCase> standardLayerCases() {
  return {{8, 64, 1},
          {8, 128, 2},
          {8, 128, 1},
          {8, 256, 2},
          {8, 256, 1},
          {4, 128, 1},
          {4, 256, 2},
          {4, 256, 1},
          {4, 512, 1},
          {2, 256, 1},
          {2, 512, 2},
          {1, 512, 1}};
}

std::vector<BenchmarkRow> runLayerBenchmark(const LayerCase& shape,
                                            const LayerBenchmarkOptions& options) {
  at::set_num_threads(options.device.threads);
  at::manual_seed(options.seed);
  requireKernels(torchDevice(options.device));
  Recipe recipe;
  recipe.batchSize = options.batch;
  return explainingFailures(
      shape.name(), recipe, [&] { return LayerMeasurement(shape, options).run(); });
}

}  // namespace lambda
