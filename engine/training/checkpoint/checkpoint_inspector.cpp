#include "engine/training/checkpoint/checkpoint_inspector.h"

#include <utility>

#include "engine/data/dataset_cache.h"
#include "engine/inspection/inspect_network.h"
#include "engine/runs/evaluations.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/evaluation_data.h"
#include "engine/training/live_inspection.h"
#include "engine/training/objective.h"

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

  Impl(const std::filesystem::path& run, const InspectorOptions& options)
      : checkpoint(checkpointAt(run)),
        loaded(loadNetwork(checkpoint, at::kCPU)),
        resolved(loaded.header.config, deviceFor(options, loaded.header.config)),
        dataPlace(options.data),
        datasets(options.datasets ? options.datasets : std::make_shared<DatasetCache>()) {}

  static ComputeDevice deviceFor(const InspectorOptions& options, const RunConfig& config) {
    return selectDevice({.kind = DeviceKind::cpu,
                         .threads = options.threads > 0 ? options.threads : config.device.threads});
  }

  EvaluationData& images() {
    if (data) return *data;
    if (dataPlace) {
      resolved =
          ResolvedConfig(withData(resolved.config(), *dataPlace, checkpoint), resolved.device());
    }
    data = std::make_unique<EvaluationData>(resolved, loaded.header.input, datasets);
    return *data;
  }

  const std::filesystem::path checkpoint;
  LoadedNetwork loaded;
  ResolvedConfig resolved;  ///< The run's; once images are loaded, with `dataPlace`.
  const std::optional<std::string> dataPlace;
  std::shared_ptr<DatasetCache> datasets;
  std::unique_ptr<EvaluationData> data;  ///< Null until the first request for an image.
  std::optional<CachedView> cached;
};

CheckpointInspector::CheckpointInspector(const std::filesystem::path& run,
                                         const InspectorOptions& options)
    : impl_(std::make_unique<Impl>(run, options)) {}

CheckpointInspector::~CheckpointInspector() = default;
CheckpointInspector::CheckpointInspector(CheckpointInspector&&) noexcept = default;
CheckpointInspector& CheckpointInspector::operator=(CheckpointInspector&&) noexcept = default;

const CheckpointHeader& CheckpointInspector::header() const {
  return impl_->loaded.header;
}

const std::filesystem::path& CheckpointInspector::checkpoint() const {
  return impl_->checkpoint;
}

InspectionSnapshot CheckpointInspector::inspect(const InspectionRequest& request) {
  useThreads(impl_->resolved.device());
  LoadedNetwork& loaded = impl_->loaded;
  InspectionRequest key = withoutPixel(request);
  if (!impl_->cached || impl_->cached->request != key) {
    RequestedImage image = requestedImage(impl_->images(), loaded.network->architecture.input, key);
    LayerView view(loaded.network, image.tensor, key.layer);
    impl_->cached.emplace(std::move(key), std::move(image), std::move(view));
  }
  Impl::CachedView& cached = *impl_->cached;
  return cached.view.at(
      request,
      {.image = cached.image.image,
       .label = cached.image.label,
       .classNames = cached.image.classNames,
       .step = loaded.header.progress.step,
       .epoch = loaded.header.progress.epoch,
       .weights = loaded.areAveraged ? InspectedWeights::averaged : InspectedWeights::stored,
       .initialEmbeddings = &loaded.initialEmbeddings});
}

std::optional<Predictions> CheckpointInspector::predict(
    Split split, const std::function<bool(std::int64_t done, std::int64_t total)>& progress) {
  useThreads(impl_->resolved.device());
  const TrainingProgress& at = impl_->loaded.header.progress;
  EvaluationData& data = impl_->images();
  const LabeledImages& images = data.images(split);
  const auto total = static_cast<std::int64_t>(images.count());
  if (total == 0) {
    throw Error(impl_->checkpoint.string(),
                "the run has no " + std::string(nameOf(split)) + " images",
                "choose another split");
  }
  Predictions predictions{
      .split = split, .step = at.step, .epoch = at.epoch, .classNames = images.classNames};
  predictions.labels.assign(images.labels.begin(), images.labels.end());
  ScoreSums sums;
  const auto take = [&](const at::Tensor& logits, const at::Tensor& labels) {
    const at::Tensor probabilities = logits.softmax(1);
    const auto [confidence, predicted] = probabilities.max(1);
    const at::Tensor truth = probabilities.gather(1, labels.unsqueeze(1)).squeeze(1);
    append(predicted.to(at::kInt), predictions.predicted);
    append(confidence, predictions.confidence);
    append(truth, predictions.truthProbability);
    sums.add(logits, labels);
  };
  const auto proceed = [&](std::int64_t done) { return progress(done, total); };
  NetworkImpl& network = *impl_->loaded.network;
  if (!classify(network, images, data.maker(), proceed, take) || !proceed(total)) {
    return std::nullopt;
  }
  if (split == Split::test) {
    const std::string other =
        otherDataOf(impl_->checkpoint, impl_->loaded.header, impl_->resolved.config(), data, split);
    keepEvaluation(impl_->checkpoint,
                   {.epoch = at.epoch,
                    .step = at.step,
                    .split = split,
                    .images = total,
                    .scores = sums.scores(),
                    .data = other,
                    .dataSha256 = data.digestOfPart(split)});
  }
  return predictions;
}

}  // namespace lambda
