#include "engine/trained/checkpoint_inspector.h"

#include <utility>

#include "engine/data/sequences/token_text.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/networks/inspection/inspect_network.h"
#include "engine/networks/inspection/token_view.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"
#include "engine/trained/predicted_numbers.h"
#include "engine/trained/trained_network.h"
#include "engine/training/input/requested_image.h"
#include "engine/training/objective.h"
#include "engine/training/scoring.h"

namespace lambda {

namespace {

/// The part of the request that selects the image and the layer.
InspectionRequest withoutPixel(InspectionRequest request) {
  request.id = 0;
  request.queryRow = -1;
  request.queryColumn = -1;
  request.withPatterns = false;
  return request;
}

/// The part of the request that selects the sequence and the layer.
TokenInspectionRequest withoutPosition(TokenInspectionRequest request) {
  request.position = -1;
  return request;
}

/// The sequence of a request.
struct RequestedTokens {
  std::vector<std::int64_t> tokens = {};
  std::vector<std::int64_t> targets = {};  ///< As in TokenSnapshot.
  std::uint64_t sequences = 0;             ///< In the split.
};

RequestedTokens ownTokens(const std::vector<std::int64_t>& tokens) {
  RequestedTokens own{.tokens = tokens};
  if (!tokens.empty()) own.targets.assign(tokens.begin() + 1, tokens.end());
  own.targets.resize(tokens.size(), -1);
  return own;
}

RequestedTokens tokensOf(const SequenceData& data, const TokenInspectionRequest& request) {
  const std::uint64_t count = data.count(request.split);
  if (request.sequence >= count) {
    throw Error(
        "sequence " + std::to_string(request.sequence),
        "the " + std::string(nameOf(request.split)) + " split has " + std::to_string(count) +
            " sequences",
        count == 0 ? "choose another split" : "choose one from 0 to " + std::to_string(count - 1));
  }
  const TokenSequence sequence = data.sequence(request.split, request.sequence);
  RequestedTokens found{.sequences = count};
  found.tokens.assign(sequence.tokens.begin(), sequence.tokens.end());
  for (const std::int32_t target : sequence.targets) {
    found.targets.push_back(target == kNotScored ? -1 : target);
  }
  return found;
}

template <class Number>
void append(const at::Tensor& values, std::vector<Number>& list) {
  const at::Tensor dense = values.contiguous();
  const auto* first = dense.const_data_ptr<Number>();
  list.insert(list.end(), first, first + dense.numel());
}

}  // namespace

struct CheckpointInspector::Impl {
  /// One image at one layer: everything that does not depend on the pixel.
  struct CachedView {
    InspectionRequest request;
    RequestedImage image;
    LayerView view;
  };

  /// One sequence at one layer: everything that does not depend on the position.
  struct CachedTokens {
    TokenInspectionRequest request;
    RequestedTokens sequence;
    TokenView view;
  };

  Impl(const std::filesystem::path& checkpoint, const InspectorOptions& options)
      : trained(checkpoint, optionsFor(checkpoint, options)) {}

  static TrainedOptions optionsFor(const std::filesystem::path& checkpoint,
                                   const InspectorOptions& options) {
    const int threads = options.threads > 0
                            ? options.threads
                            : readCheckpointHeader(checkpoint).config.device.threads;
    // It lives long, beside a training, whose memory it must not hold.
    return {.data = options.data,
            .device = DeviceConfig{.kind = DeviceKind::cpu, .threads = threads},
            .datasets = options.datasets,
            .reusesMemory = false};
  }

  TrainedNetwork trained;
  std::optional<CachedView> cached;
  std::optional<CachedTokens> cachedTokens;
};

CheckpointInspector::CheckpointInspector(const std::filesystem::path& run,
                                         const InspectorOptions& options)
    : impl_(std::make_unique<Impl>(checkpointAt(run), options)) {}

CheckpointInspector::~CheckpointInspector() = default;
CheckpointInspector::CheckpointInspector(CheckpointInspector&&) noexcept = default;
CheckpointInspector& CheckpointInspector::operator=(CheckpointInspector&&) noexcept = default;

const CheckpointHeader& CheckpointInspector::header() const {
  return impl_->trained.header();
}

const std::filesystem::path& CheckpointInspector::checkpoint() const {
  return impl_->trained.checkpoint();
}

InspectionSnapshot CheckpointInspector::inspect(const InspectionRequest& request) {
  useThreads(impl_->trained.resolved().device());
  LoadedNetwork& loaded = impl_->trained.weights();
  InspectionRequest key = withoutPixel(request);
  if (!impl_->cached || impl_->cached->request != key) {
    RequestedImage image =
        requestedImage(impl_->trained.data(), loaded.network->architecture.input, key);
    LayerView view(loaded.network, image.tensor, key.layer);
    impl_->cached.emplace(std::move(key), std::move(image), std::move(view));
  }
  Impl::CachedView& cached = *impl_->cached;
  return cached.view.at(
      request,
      {.image = cached.image.image,
       .label = cached.image.label,
       .classNames = cached.image.classNames,
       .numbers = cached.image.scales,
       .trueNumbers = cached.image.numbers,
       .step = loaded.header.progress.step,
       .epoch = loaded.header.progress.epoch,
       .weights = loaded.areAveraged ? InspectedWeights::averaged : InspectedWeights::stored,
       .initialEmbeddings = &loaded.initialEmbeddings});
}

TokenSnapshot CheckpointInspector::inspectTokens(const TokenInspectionRequest& request) {
  useThreads(impl_->trained.resolved().device());
  LoadedNetwork& loaded = impl_->trained.weights();
  const RunConfig& config = loaded.header.config;
  std::optional<Impl::CachedTokens>& cached = impl_->cachedTokens;
  TokenInspectionRequest key = withoutPosition(request);
  if (!cached || cached->request != key) {
    const bool takesOwn = request.tokens || config.architecture.task != Task::tokens;
    RequestedTokens sequence = takesOwn
                                   ? ownTokens(request.tokens.value_or(std::vector<std::int64_t>()))
                                   : tokensOf(*impl_->trained.sequences(), request);
    TokenView view(loaded.network, sequence.tokens, request.layer);
    cached.emplace(std::move(key), std::move(sequence), std::move(view));
  }
  TokenSnapshot snapshot = cached->view.at(request.position);
  snapshot.request = request;
  snapshot.weights = loaded.areAveraged ? InspectedWeights::averaged : InspectedWeights::stored;
  snapshot.step = loaded.header.progress.step;
  snapshot.epoch = loaded.header.progress.epoch;
  snapshot.targets = cached->sequence.targets;
  snapshot.sequences = cached->sequence.sequences;
  snapshot.areBytes = TokenText(config.data.source, config.architecture.outputs).isOfBytes();
  return snapshot;
}

std::optional<Predictions> CheckpointInspector::predict(
    Split split, const std::function<bool(std::int64_t done, std::int64_t total)>& progress) {
  useThreads(impl_->trained.resolved().device());
  TrainedNetwork& trained = impl_->trained;
  const TrainingProgress& at = trained.header().progress;
  EvaluationData& data = trained.data();
  const LabeledImages& images = data.images(split);
  const auto total = static_cast<std::int64_t>(images.count());
  if (total == 0) {
    throw Error(trained.checkpoint().string(),
                "the run has no " + std::string(nameOf(split)) + " images",
                "choose another split");
  }
  Predictions predictions{
      .split = split, .step = at.step, .epoch = at.epoch, .classNames = images.classNames};
  predictions.labels.assign(images.labels.begin(), images.labels.end());
  const Task task = trained.weights().network->architecture.task;
  const std::unique_ptr<ScoreSums> sums =
      objectiveOf(task).sums(trained.weights().network->architecture.outputs);
  const auto addClasses = [&](const at::Tensor& logits, const at::Tensor& labels) {
    const at::Tensor probabilities = logits.softmax(1);
    const auto [confidence, predicted] = probabilities.max(1);
    const at::Tensor truth = probabilities.gather(1, labels.unsqueeze(1)).squeeze(1);
    append(predicted.to(at::kInt), predictions.predicted);
    append(confidence, predictions.confidence);
    append(truth, predictions.truthProbability);
  };
  PredictedNumbers numbers(data.input().numbers);
  const auto take = [&](const at::Tensor& outputs, const at::Tensor& labels) {
    switch (task) {
      case Task::classification:
        addClasses(outputs, labels);
        break;
      case Task::regression:
        numbers.add(outputs, labels);
        break;
      case Task::tokens:
        break;  // Such a network has no images.
    }
    sums->add(outputs, labels);
  };
  const auto proceed = [&](std::int64_t done) { return progress(done, total); };
  NetworkImpl& network = *trained.weights().network;
  if (!classify(network, ImageExamples(images, data.maker()), proceed, take) || !proceed(total)) {
    return std::nullopt;
  }
  if (split == Split::test) {
    trained.keep(split, sums->scores(), trained.otherData(split));
  }
  predictions.numbers = numbers.take();
  return predictions;
}

}  // namespace lambda
