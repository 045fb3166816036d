#include "engine/training/input/sequence_run_data.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "engine/runtime/error.h"
#include "engine/runtime/torch_device.h"

namespace lambda {

namespace {

constexpr std::int64_t kTrainSequences = 256;

/// Tokens that are scored at a time.
constexpr std::int64_t kTokensTogether = 16384;

at::Tensor tensorOf(const std::vector<std::int64_t>& values, std::int64_t rows) {
  return at::tensor(values, at::kLong).view({rows, -1});
}

TensorBatch tensorsOf(const TokenBatch& batch, std::int64_t count, const at::Device& device) {
  return {.images = tensorOf(batch.tokens, count).view({count, 1, 1, -1}).to(device),
          .labels = tensorOf(batch.targets, count).to(device)};
}

std::int64_t countOf(const SequenceData& data, Split split) {
  return static_cast<std::int64_t>(data.count(split));
}

}  // namespace

SequenceExamples::SequenceExamples(std::shared_ptr<const SequenceData> data,
                                   Split split,
                                   Precision precision,
                                   const at::Device& device,
                                   std::int64_t most)
    : data_(std::move(data)),
      split_(split),
      count_(std::min(countOf(*data_, split), most)),
      apart_(std::max<std::int64_t>(1, countOf(*data_, split) / std::max<std::int64_t>(1, count_))),
      precision_(precision),
      device_(device) {}

TensorBatch SequenceExamples::batch(std::int64_t first, std::int64_t count) const {
  TokenBatch batch;
  for (std::int64_t i = first; i < first + count; ++i) {
    batch.add(data_->sequence(split_, static_cast<std::uint64_t>(i * apart_)));
  }
  return tensorsOf(batch, count, device_);
}

std::int64_t SequenceExamples::together() const {
  return std::max<std::int64_t>(1, kTokensTogether / data_->length());
}

std::shared_ptr<const SequenceData> sequencesFor(const RunConfig& config) {
  std::shared_ptr<const SequenceData> data = SequenceData::open(config.data.source);
  const MapShape& input = config.architecture.input;
  if (data->length() == input.width && data->vocabulary() == config.architecture.outputs) {
    return data;
  }
  throw Error(textOf(config.data.source),
              "it has sequences of " + std::to_string(data->length()) + " tokens out of " +
                  std::to_string(data->vocabulary()) + ", the network takes " +
                  std::to_string(input.width) + " out of " +
                  std::to_string(config.architecture.outputs),
              "Give data of that length and vocabulary.");
}

SequenceRunData::SequenceRunData(const ResolvedConfig& resolved)
    : seed_(resolved.config().seed),
      batchSize_(resolved.config().recipe.batchSize),
      device_(torchDevice(resolved.device())),
      data_(sequencesFor(resolved.config())),
      digest_(data_->digest()),
      train_(data_, Split::train, resolved.config().recipe.precision, device_, kTrainSequences),
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
  const auto step =
      static_cast<std::uint64_t>(epoch) * static_cast<std::uint64_t>(batchesPerEpoch()) +
      static_cast<std::uint64_t>(batch);
  TensorBatch whole = tensorsOf(data_->trainingBatch(seed_, step, batchSize_), batchSize_, device_);
  if (part().isWhole()) return whole;
  const BatchPart::Range range = part().of(batchSize_);
  TensorBatch own{.images = whole.images.narrow(0, range.first, range.count),
                  .labels = whole.labels.narrow(0, range.first, range.count)};
  // The mean is over the tokens that are scored.
  const auto scored = [](const at::Tensor& labels) {
    return static_cast<double>(labels.ne(kNotScored).sum().item<std::int64_t>());
  };
  own.jointShare = range.share == 0 ? 0 : scored(own.labels) / scored(whole.labels);
  return own;
}

}  // namespace lambda
