#include "engine/trained/evaluate_run.h"

#include <cmath>
#include <memory>
#include <utility>

#include <ATen/ATen.h>

#include "engine/data/dataset.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/predictions_csv.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"
#include "engine/trained/predicted_numbers.h"
#include "engine/trained/trained_network.h"
#include "engine/training/objective.h"
#include "engine/training/scoring.h"
#include "engine/values/config/scoring.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

/// A network with the images of a split on which it is scored.
class ScoredSplit {
 public:
  /// Throws Error if the checkpoint or the data can't be read, the split has no images, or the data
  /// has changed and the request is to stop then.
  explicit ScoredSplit(const EvaluationRequest& request)
      : trained(request.run, {.data = request.data, .device = request.device}),
        split(request.split),
        examples(trained.examples(split)) {
    const std::string noun = traitsOf(trained.weights().network->architecture.task).examples;
    if (examples.count() == 0) {
      throw Error(trained.checkpoint().string(),
                  "there are no " + std::string(nameOf(split)) + " " + noun,
                  split == Split::test ? "score the validation " + noun + " instead"
                                       : "score the test set instead");
    }
    otherData_ = trained.otherData(split);
    if (otherData_.empty() || request.data || request.changedData == ChangedData::warn) return;
    throw Error(otherData_,
                "the " + std::string(nameOf(split)) + " " + noun +
                    ", or what they mean, have changed since the run was trained",
                "Put the former data there; to score the present data: --changed-data warn.");
  }

  std::int64_t count() const { return examples.count(); }

  /// Reports the images that are done, and waits until the next batch may run; false = stop.
  auto reportTo(RunControl& control, Observer& observer) const {
    return [&control, &observer, this](std::int64_t done) {
      return waitForBatch(control, observer, {split, done, count()});
    };
  }

  /// Stores the scores in the run that the checkpoint belongs to, and returns them.
  Evaluation keep(const Scores& scores) {
    const KeptEvaluation kept = trained.keep(split, scores, otherData_);
    const TrainingProgress& at = trained.header().progress;
    // Exported weights do not say whether they are averaged.
    Recipe recipe = trained.resolved().config().recipe;
    if (!trained.weights().areAveraged) recipe.emaDecay = 0;
    return {.scores = scores,
            .checkpoint = trained.checkpoint(),
            .epoch = at.epoch,
            .step = at.step,
            .task = trained.weights().network->architecture.task,
            .images = count(),
            .testEvaluations = kept.testEvaluations,
            .isVerified = trained.weights().isVerified,
            .saveProblem = kept.problem,
            .scoring = scoringOf(recipe),
            .otherData = otherData_,
            .dataPlace = textOf(trained.resolved().config().data.source),
            .isDataCompared = trained.isDigestKnown(split),
            .majority = examples.majority()};
  }

  TrainedNetwork trained;
  const Split split;
  const Examples& examples;  ///< Of the split, in its order.

 private:
  std::string otherData_;
};

/// The scores, if they are finite. Throws Error otherwise.
Scores finiteScores(const Scores& scores, const ScoredSplit& run, const char* hint) {
  if (std::isfinite(scores.loss)) return scores;
  throw Error(
      run.trained.checkpoint().string(), "its loss is not finite: the network overflows", hint);
}

/// The predictions of some images.
struct Rows {
  std::int64_t count = 0;
  std::int64_t classes = 0;
  std::vector<std::int64_t> labels;       ///< [count]
  std::vector<std::int64_t> predictions;  ///< [count]
  std::vector<float> losses;              ///< [count]
  std::vector<float> probabilities;       ///< [count, classes]
};

template <class Number>
std::vector<Number> valuesOf(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor dense = tensor.to(at::kCPU, type).contiguous();
  const Number* first = dense.const_data_ptr<Number>();
  return {first, first + dense.numel()};
}

Rows rowsOf(const at::Tensor& logits, const at::Tensor& labels) {
  return {.count = logits.size(0),
          .classes = logits.size(1),
          .labels = valuesOf<std::int64_t>(labels, at::kLong),
          .predictions = valuesOf<std::int64_t>(logits.argmax(1), at::kLong),
          .losses = valuesOf<float>(classificationObjective().lossesOf(logits, labels), at::kFloat),
          .probabilities = valuesOf<float>(logits.softmax(1), at::kFloat)};
}

template <class Number>
void appendBytes(std::string& text, const Number* values, std::int64_t count) {
  text.append(reinterpret_cast<const char*>(values),
              sizeof(Number) * static_cast<std::size_t>(count));
}

class File {
 public:
  virtual ~File() = default;
  virtual std::string head() const = 0;
  /// Outputs and labels of a batch, whose first image has that index.
  virtual std::string text(const at::Tensor& outputs,
                           const at::Tensor& labels,
                           std::int64_t firstIndex) const = 0;
};

class NumbersFile : public File {
 public:
  explicit NumbersFile(const std::vector<NumberScale>& scales) : scales_(scales) {}

  std::string head() const override { return numbersHead(scales_); }

  std::string text(const at::Tensor& outputs,
                   const at::Tensor& labels,
                   std::int64_t firstIndex) const override {
    return numbersLines(outputs, labels, scales_, firstIndex);
  }

 private:
  const std::vector<NumberScale>& scales_;
};

class CsvFile : public File {
 public:
  explicit CsvFile(const std::vector<std::string>& classNames) : classNames_(classNames) {}

  std::string head() const override { return predictionsHead(classNames_); }

  std::string text(const at::Tensor& logits,
                   const at::Tensor& labels,
                   std::int64_t firstIndex) const override {
    const Rows rows = rowsOf(logits, labels);
    std::string lines;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      lines += std::to_string(firstIndex + i) + ',' + std::to_string(rows.labels[row]) + ',' +
               std::to_string(rows.predictions[row]) + ',' + formatFloat(rows.losses[row]);
      for (std::int64_t c = 0; c < rows.classes; ++c) {
        lines +=
            ',' + formatFloat(rows.probabilities[static_cast<std::size_t>(i * rows.classes + c)]);
      }
      lines += '\n';
    }
    return lines;
  }

 private:
  const std::vector<std::string>& classNames_;
};

class NpyFile : public File {
 public:
  NpyFile(std::int64_t images, std::size_t classes) : images_(images), classes_(classes) {}

  std::string head() const override {
    const std::int64_t shape[] = {images_};
    return npyHeader(
        "[('index', '<i8'), ('label', '<i8'), ('prediction', '<i8'), ('loss', '<f4'), "
        "('probabilities', '<f4', (" +
            std::to_string(classes_) + ",))]",
        shape);
  }

  std::string text(const at::Tensor& logits,
                   const at::Tensor& labels,
                   std::int64_t firstIndex) const override {
    const Rows rows = rowsOf(logits, labels);
    std::string records;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::int64_t index = firstIndex + i;
      appendBytes(records, &index, 1);
      appendBytes(records, &rows.labels[row], 1);
      appendBytes(records, &rows.predictions[row], 1);
      appendBytes(records, &rows.losses[row], 1);
      appendBytes(
          records, &rows.probabilities[static_cast<std::size_t>(i * rows.classes)], rows.classes);
    }
    return records;
  }

 private:
  std::int64_t images_;
  std::size_t classes_;
};

using Append = std::function<void(std::string_view text)>;

/// Gives the content of the file to `append`, part by part. Returns the scores of all predictions;
/// nothing if the control asked to stop.
std::optional<Scores> predict(ScoredSplit& run,
                              const File& file,
                              const Append& append,
                              RunControl& control,
                              Observer& observer) {
  append(file.head());
  TrainedNetwork& trained = run.trained;
  const Architecture& architecture = trained.weights().network->architecture;
  const std::unique_ptr<ScoreSums> sums = objectiveOf(architecture.task).sums(architecture.outputs);
  std::int64_t done = 0;
  const auto take = [&](const at::Tensor& outputs, const at::Tensor& labels) {
    append(file.text(outputs, labels, done));
    done += outputs.size(0);
    sums->add(outputs, labels);
  };
  if (!classify(*trained.weights().network, run.examples, run.reportTo(control, observer), take)) {
    return std::nullopt;
  }
  return finiteScores(sums->scores(), run, "Use an earlier checkpoint.");
}

/// The file of predictions for the task of a network.
std::unique_ptr<File> fileFor(ScoredSplit& run, const std::filesystem::path& path) {
  const bool isArray = path.extension() == ".npy";
  switch (run.trained.weights().network->architecture.task) {
    case Task::classification:
      break;
    case Task::regression:
      if (isArray) {
        throw Error(path.string(),
                    "predicted numbers are not written as an array",
                    "Give a name that ends in .csv.");
      }
      return std::make_unique<NumbersFile>(run.trained.data().input().numbers);
    case Task::tokens:
      throw Error(path.string(),
                  "predictions of tokens are not written as a table",
                  "lambda evaluate scores them.");
  }
  const std::vector<std::string>& classes = run.trained.data().images(run.split).classNames;
  if (isArray) return std::make_unique<NpyFile>(run.count(), classes.size());
  return std::make_unique<CsvFile>(classes);
}

}  // namespace

std::optional<Evaluation> evaluateRun(const EvaluationRequest& request,
                                      RunControl& control,
                                      Observer& observer) {
  ScoredSplit run(request);
  const std::optional<Scores> scores =
      evaluate(*run.trained.weights().network, run.examples, run.reportTo(control, observer));
  if (!scores) return std::nullopt;
  return run.keep(finiteScores(*scores, run, "evaluate an earlier checkpoint"));
}

std::optional<WrittenPredictions> writePredictions(const EvaluationRequest& request,
                                                   const std::filesystem::path& path,
                                                   RunControl& control,
                                                   Observer& observer) {
  ScoredSplit run(request);
  const std::unique_ptr<File> file = fileFor(run, path);
  DurableWriter writer(path);
  const auto append = [&](std::string_view text) { writer.append(text); };
  const std::optional<Scores> scores = predict(run, *file, append, control, observer);
  if (!scores) return std::nullopt;
  writer.commit();
  return WrittenPredictions{.evaluation = run.keep(*scores), .bytes = writer.size()};
}

std::optional<Evaluation> printPredictions(const EvaluationRequest& request,
                                           const std::function<void(std::string_view)>& print,
                                           RunControl& control,
                                           Observer& observer) {
  ScoredSplit run(request);
  const std::unique_ptr<File> file = fileFor(run, {});
  const std::optional<Scores> scores = predict(run, *file, print, control, observer);
  if (!scores) return std::nullopt;
  return run.keep(*scores);
}

}  // namespace lambda
