#include "engine/training/histograms/histogram_recorder.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "engine/layers/forward_trace.h"
#include "engine/networks/inspection/inspection_mode.h"
#include "engine/networks/inspection/lambda_norms.h"
#include "engine/networks/inspection/value_counts.h"
#include "engine/runtime/seconds_since.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

constexpr std::int64_t kSampledValues = 1 << 15;
constexpr std::int64_t kSampledImages = 8;

/// The first images of a map or of features [b, ...], every n-th pixel of them where one image has
/// more values than a sample.
at::Tensor sampleOf(const at::Tensor& output) {
  const std::int64_t each = output.numel() / std::max<std::int64_t>(output.size(0), 1);
  const std::int64_t wanted = kSampledValues / std::max<std::int64_t>(each, 1);
  at::Tensor sample =
      output.detach().narrow(0, 0, std::clamp<std::int64_t>(wanted, 1, output.size(0)));
  if (each > kSampledValues && output.dim() == 4) {
    const auto apart =
        static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(each) / kSampledValues)));
    sample = sample.slice(2, 0, output.size(2), apart).slice(3, 0, output.size(3), apart);
  }
  return sample.clone();
}

/// Copies samples of what the layers of a forward pass compute: outputs of all layers, and inputs
/// of some. The copies are small, so that they take almost no time of the pass.
class HistogramTrace : public ForwardTrace {
 public:
  struct Sample {
    std::string layer;
    at::Tensor output;  ///< About kSampledValues of the first images.
    at::Tensor input;   ///< [kSampledImages or fewer, d, H, W]; undefined unless asked for.
  };

  /// `withInput`: the layers whose input is copied too.
  explicit HistogramTrace(std::set<std::string> withInput) : withInput_(std::move(withInput)) {}

  bool isPassive() const override { return true; }

  void visit(const std::string& layer, const at::Tensor& input, const at::Tensor& output) override {
    const auto start = std::chrono::steady_clock::now();
    const at::NoGradGuard noGradient;
    Sample sample{layer, sampleOf(output), {}};
    if (withInput_.contains(layer)) {
      const std::int64_t images = std::min(kSampledImages, input.size(0));
      sample.input = input.detach().narrow(0, 0, images).clone();
    }
    samples_.push_back(std::move(sample));
    seconds_ += secondsSince(start);
  }

  const std::vector<Sample>& samples() const { return samples_; }

  /// Seconds that the copies have taken on this thread.
  double seconds() const { return seconds_; }

 private:
  std::set<std::string> withInput_;
  std::vector<Sample> samples_;
  double seconds_ = 0;
};

/// Counts by layer and kind on the device of the values, until all of them are read at once.
class Counting {
 public:
  /// Adds values; tensors with the same layer and kind have one histogram.
  void add(const std::string& layer, HistogramKind kind, const at::Tensor& values) {
    if (!values.defined()) return;
    const at::Tensor counts = patternCounts(values);
    const auto found = std::ranges::find_if(layers_, [&](const LayerHistogram& each) {
      return each.kind == kind && each.layer == layer;
    });
    if (found != layers_.end()) {
      counts_[static_cast<std::size_t>(found - layers_.begin())] += counts;
      return;
    }
    layers_.push_back({layer, kind, {}});
    counts_.push_back(counts);
  }

  std::vector<LayerHistogram> take() {
    if (counts_.empty()) return {};
    const at::Tensor all = at::stack(counts_).cpu();
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      layers_[i].histogram = histogramOf(all[static_cast<std::int64_t>(i)]);
    }
    std::ranges::stable_sort(layers_, {}, &LayerHistogram::kind);
    return std::move(layers_);
  }

 private:
  std::vector<LayerHistogram> layers_;
  std::vector<at::Tensor> counts_;
};

bool isWeight(ParameterRole role) {
  return role != ParameterRole::norm && role != ParameterRole::bias;
}

/// The layer of a parameter: that of the pass with the longest fitting name, or the module that
/// owns shared embeddings. Tables of positions stand apart, since they begin with other values.
std::string layerOf(const UpdatedParameter& parameter,
                    ParameterRole role,
                    const std::vector<HistogramTrace::Sample>& samples) {
  std::string layer;
  for (const HistogramTrace::Sample& sample : samples) {
    if (sample.layer.size() > layer.size() && parameter.name.starts_with(sample.layer + ".")) {
      layer = sample.layer;
    }
  }
  if (layer.empty()) return parameter.name.substr(0, parameter.name.find('.'));
  return role == ParameterRole::embedding ? layer + ".embedding" : layer;
}

void countParameters(TrainingState& state,
                     const std::vector<HistogramTrace::Sample>& samples,
                     Counting& counting) {
  const std::vector<ParameterRole> roles = rolesOf(*state.network);
  const std::vector<UpdatedParameter>& parameters = state.optimizer.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!isWeight(roles[i])) continue;
    const std::string layer = layerOf(parameters[i], roles[i], samples);
    counting.add(layer, HistogramKind::weights, parameters[i].master);
    counting.add(layer, HistogramKind::gradients, parameters[i].gradient());
  }
}

void countLambdaNorms(TrainingState& state,
                      const std::vector<HistogramTrace::Sample>& samples,
                      Counting& counting) {
  std::vector<NamedLambda> layers = state.network->lambdaLayers();
  if (layers.empty()) return;
  const MasterWeights inFloat(state.optimizer);
  const InspectionMode mode(*state.network, state.device().type());
  for (NamedLambda& each : layers) {
    const auto sample = std::ranges::find(samples, each.name, &HistogramTrace::Sample::layer);
    if (sample == samples.end()) continue;
    const LambdaNorms norms = lambdaNormsOf(each.layer, sample->input.to(at::kFloat));
    counting.add(each.name, HistogramKind::lambdaNorms, norms.total);
    counting.add(each.name, HistogramKind::contentNorms, norms.content);
    counting.add(each.name, HistogramKind::positionNorms, norms.position);
  }
}

std::set<std::string> namesOf(const std::vector<NamedLambda>& layers) {
  std::set<std::string> names;
  for (const NamedLambda& each : layers) names.insert(each.name);
  return names;
}

}  // namespace

StartedStep startObservedStep(TrainingState& state,
                              StepRunner& steps,
                              const TensorBatch& batch,
                              double learningRate,
                              StepHistograms& histograms) {
  HistogramTrace trace(namesOf(state.network->lambdaLayers()));
  return steps.startTraced(batch, learningRate, trace, [&](StepPhase phase) {
    // The gradients are complete, and no weight has been updated.
    if (phase != StepPhase::measures) return;
    synchronize(state.device());
    const auto start = std::chrono::steady_clock::now();
    const at::NoGradGuard noGradient;
    Counting counting;
    countParameters(state, trace.samples(), counting);
    for (const HistogramTrace::Sample& sample : trace.samples()) {
      counting.add(sample.layer, HistogramKind::activations, sample.output);
    }
    countLambdaNorms(state, trace.samples(), counting);
    histograms.layers = counting.take();
    histograms.seconds = trace.seconds() + secondsSince(start);
  });
}

}  // namespace lambda
