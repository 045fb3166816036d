#include "engine/training/input/run_data.h"

#include <algorithm>
#include <utility>

#include "engine/data/labelling.h"
#include "engine/data/split.h"
#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

constexpr int kTrainSample = 2500;

/// The data with the classes and the normalisation of a network that was trained before.
std::shared_ptr<const Dataset> fitted(std::shared_ptr<const Dataset> data,
                                      const NetworkInput& input,
                                      const DataConfig& config) {
  if (!input.isKnown()) return data;
  if (inputOf(*data) == input) return data;
  auto changed = std::make_shared<Dataset>(*data);
  changed->normalization = input.normalization;
  changed->numbers = input.numbers;
  for (LabeledImages* images : {&changed->train, &changed->validation}) {
    matchLabels(*images, input, textOf(config.source));
  }
  return changed;
}

std::shared_ptr<const Dataset> checked(std::shared_ptr<const Dataset> data,
                                       const RunConfig& config) {
  const LabeledImages& train = data->train;
  const DatasetInfo info{
      .shape = {train.channels, train.height, train.width},
      .task = train.numberNames.empty() ? Task::classification : Task::regression,
      .classes = static_cast<int>(inputOf(*data).outputs()),
      .classNames = {}};
  const std::vector<Problem> problems = problemsWithImages(config.architecture, info);
  if (!problems.empty()) {
    const Problem& problem = problems.front();
    throw Error(problem.path, problem.text, problem.fix->label);
  }
  return data;
}

/// The images that are trained on. Writes how their labels were chosen to `summary`.
std::shared_ptr<const LabeledImages> trainedOn(const std::shared_ptr<const Dataset>& data,
                                               const RunConfig& config,
                                               ImageOrigin origin,
                                               std::string& summary) {
  std::shared_ptr<const LabeledImages> train(data, &data->train);
  if (origin == ImageOrigin::dataset && hasFewLabels(config.data)) {
    ChosenLabels chosen = imagesWithLabels(data->train, config.data);
    summary = chosen.summary();
    train = std::make_shared<const LabeledImages>(std::move(chosen.images));
  }
  if (static_cast<std::size_t>(config.recipe.batchSize) > train->count()) {
    throw Error(
        "recipe.batchSize",
        "a batch is larger than the training set of " + std::to_string(train->count()) + " images",
        "choose a smaller one with --set recipe.batchSize=N");
  }
  return train;
}

LabeledImages sampleOf(const LabeledImages& train) {
  const int count = std::min(kTrainSample, static_cast<int>(train.count()) - 1);
  return selectImages(train, splitOf(train, count, /*seed=*/0).validation);
}

}  // namespace

RunData::RunData(const ResolvedConfig& resolved,
                 const NetworkInput& input,
                 std::shared_ptr<DatasetCache> datasets)
    : RunData(resolved,
              fitted(datasets->training(resolved.config().data), input, resolved.config().data),
              datasets) {}

RunData::RunData(const ResolvedConfig& resolved,
                 std::shared_ptr<const Dataset> data,
                 std::shared_ptr<DatasetCache> datasets,
                 ImageOrigin origin)
    : RunData(resolved.config(),
              torchDevice(resolved.device()),
              std::move(data),
              std::move(datasets),
              origin) {}

RunData::RunData(const RunConfig& config,
                 const at::Device& device,
                 std::shared_ptr<const Dataset> data,
                 std::shared_ptr<DatasetCache> datasets,
                 ImageOrigin origin)
    : config_(config.data),
      batchSize_(config.recipe.batchSize),
      origin_(origin),
      datasets_(std::move(datasets)),
      data_(checked(std::move(data), config)),
      input_(inputOf(*data_)),
      train_(trainedOn(data_, config, origin, labelSummary_)),
      trainSample_(sampleOf(*train_)),
      order_(config.seed, static_cast<std::uint32_t>(train_->count()), config.recipe),
      mixer_(config.architecture.input, config.data.augmentation, config.seed),
      maker_(config, input_, device),
      sampleExamples_(trainSample_, maker_),
      validationExamples_(data_->validation, maker_) {
  maker_.keep(*train_);
  maker_.keep(data_->validation);
  maker_.keep(trainSample_);
}

std::int64_t RunData::examplesIn(int batches) const {
  return std::min<std::int64_t>(std::int64_t{batches} * batchSize_, order_.epoch().used);
}

TensorBatch RunData::batch(int epoch, int batch) {
  const BatchPosition position{static_cast<std::uint64_t>(epoch),
                               static_cast<std::uint32_t>(batch)};
  const std::span<const std::uint32_t> indices = order_.batch(position);
  const BatchPart::Range range = part().of(static_cast<std::int64_t>(indices.size()));
  const std::span<const std::uint32_t> own =
      indices.subspan(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.count));
  TensorBatch made;
  if (!mixer_.mixes()) {
    made = maker_.augmented(*train_, own, epoch);
  } else {
    const MixingDraw draw = mixer_.draw(position, static_cast<std::uint32_t>(indices.size()));
    made = part().isWhole() ? mixed(maker_.augmented(*train_, indices, epoch), draw)
                            : mixedPart(indices, range, draw, epoch);
  }
  made.jointShare = range.share;
  return made;
}

/// The partners may be in the parts of other processes: they are made here too, behind the own
/// images.
TensorBatch RunData::mixedPart(std::span<const std::uint32_t> indices,
                               const BatchPart::Range& range,
                               MixingDraw draw,
                               int epoch) const {
  const auto first = static_cast<std::size_t>(range.first);
  const auto count = static_cast<std::size_t>(range.count);
  const std::span<const std::uint32_t> own = indices.subspan(first, count);
  std::vector<std::uint32_t> rows(own.begin(), own.end());
  for (std::size_t i = 0; i < count; ++i) rows.push_back(indices[draw.partners[first + i]]);
  draw.partners.resize(2 * count);
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    draw.partners[i] = (i + static_cast<std::uint32_t>(count)) % (2 * count);
  }
  TensorBatch both = mixed(maker_.augmented(*train_, rows, epoch), draw);
  for (at::Tensor* each : {&both.images, &both.labels, &both.partnerLabels}) {
    *each = each->narrow(0, 0, range.count);
  }
  return both;
}

const Examples& RunData::test() {
  if (!testExamples_) testExamples_.emplace(testImages(), maker_);
  return *testExamples_;
}

const LabeledImages& RunData::testImages() {
  if (!test_) {
    test_ = datasets_->test(config_);
    if (test_->count() > 0 && !fits(*test_, input_)) {
      auto matched = std::make_shared<LabeledImages>(*test_);
      matchLabels(*matched, input_, textOf(config_.source));
      test_ = std::move(matched);
    }
    maker_.keep(*test_);
  }
  return *test_;
}

RunData& imagesOf(TrainingData& data) {
  if (RunData* images = data.asImages()) return *images;
  throw Error("data", "it has sequences, and this is for images");
}

const LabeledImages& RunData::images(Split split) {
  switch (split) {
    case Split::train:
      return data_->train;
    case Split::validation:
      return data_->validation;
    case Split::test:
      return testImages();
  }
  return data_->validation;
}

}  // namespace lambda
