#include "engine/training/input/sequence_run_data.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

constexpr std::int64_t kTrainSample = 256;

/// Tokens that are scored at a time.
constexpr std::int64_t kTokensTogether = 16384;

/// Tokens and targets of a batch on the CPU.
class HostBatch {
 public:
  HostBatch(std::int64_t count, std::int64_t length)
      : tokens_(at::empty({count, 1, 1, length}, at::kLong)),
        targets_(at::empty({count, length}, at::kLong)) {}

  std::span<std::int64_t> tokens() { return valuesOf(tokens_); }

  std::span<std::int64_t> targets() { return valuesOf(targets_); }

  void set(std::int64_t index, const TokenSequence& sequence) {
    const std::size_t length = sequence.tokens.size();
    const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * length);
    std::ranges::copy(sequence.tokens, tokens().begin() + at);
    std::ranges::copy(sequence.targets, targets().begin() + at);
  }

  TensorBatch on(const at::Device& device) const {
    return {.images = tokens_.to(device), .labels = targets_.to(device)};
  }

 private:
  static std::span<std::int64_t> valuesOf(at::Tensor& tensor) {
    return {tensor.mutable_data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
  }

  at::Tensor tokens_;
  at::Tensor targets_;
};

}  // namespace

SequenceExamples::SequenceExamples(std::shared_ptr<const SequenceData> data,
                                   Split split,
                                   Precision precision,
                                   const at::Device& device,
                                   std::int64_t most)
    : data_(std::move(data)),
      split_(split),
      count_(std::min(data_->count(split), most)),
      apart_(std::max<std::int64_t>(1, data_->count(split) / std::max<std::int64_t>(1, count_))),
      precision_(precision),
      device_(device) {}

TensorBatch SequenceExamples::batch(std::int64_t first, std::int64_t count) const {
  HostBatch batch(count, data_->length());
  for (std::int64_t i = 0; i < count; ++i) {
    batch.set(i, data_->sequence(split_, (first + i) * apart_));
  }
  return batch.on(device_);
}

std::int64_t SequenceExamples::together() const {
  return std::max<std::int64_t>(1, kTokensTogether / data_->length());
}

std::shared_ptr<const SequenceData> sequencesFor(const RunConfig& config) {
  auto data = std::make_shared<const SequenceData>(config.data.source);
  const DatasetInfo info{
      .shape = {1, 1, data->length()}, .task = Task::tokens, .classes = data->vocabulary()};
  const std::vector<Problem> problems = problemsWithImages(config.architecture, info);
  if (problems.empty()) return data;
  const Problem& problem = problems.front();
  throw Error(problem.path, problem.text, problem.fix ? problem.fix->label : std::string());
}

SequenceRunData::SequenceRunData(const ResolvedConfig& resolved)
    : seed_(resolved.config().seed),
      batchSize_(resolved.config().recipe.batchSize),
      device_(torchDevice(resolved.device())),
      data_(sequencesFor(resolved.config())),
      digest_(data_->digest()),
      train_(data_, Split::train, resolved.config().recipe.precision, device_, kTrainSample),
      validation_(data_, Split::validation, resolved.config().recipe.precision, device_),
      test_(data_, Split::test, resolved.config().recipe.precision, device_) {
  if (trainingExamples() >= batchSize_) return;
  throw Error("recipe.batchSize",
              "a batch is larger than the training set of " + std::to_string(trainingExamples()) +
                  " sequences",
              "choose a smaller one with --set recipe.batchSize=N");
}

int SequenceRunData::batchesPerEpoch() const {
  return static_cast<int>(trainingExamples() / batchSize_);
}

std::string SequenceRunData::changes() const {
  std::string text;
  for (const DataFinding& finding : data_->findings()) {
    text += (text.empty() ? "" : "; ") + finding.place + ": " + finding.text;
  }
  return text;
}

TensorBatch SequenceRunData::batch(int epoch, int batch) {
  HostBatch made(batchSize_, data_->length());
  const auto step =
      static_cast<std::uint64_t>(epoch) * static_cast<std::uint64_t>(batchesPerEpoch()) +
      static_cast<std::uint64_t>(batch);
  data_->trainingBatch(seed_, step, made.tokens(), made.targets());
  return made.on(device_);
}

}  // namespace lambda
