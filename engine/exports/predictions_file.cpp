#include "engine/exports/predictions_file.h"

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/ATen.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/predictions_csv.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"
#include "engine/training/evaluated_run.h"
#include "engine/training/evaluation.h"
#include "engine/training/input/wait_for_batch.h"
#include "engine/training/objective.h"

namespace lambda {

namespace {

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
          .losses = valuesOf<float>(lossesOf(logits, labels), at::kFloat),
          .probabilities = valuesOf<float>(logits.softmax(1), at::kFloat)};
}

template <class Number>
void appendBytes(std::string& text, const Number* values, std::int64_t count) {
  text.append(reinterpret_cast<const char*>(values),
              sizeof(Number) * static_cast<std::size_t>(count));
}

/// The shortest text that gives the same float when read.
std::string textOf(float value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

class File {
 public:
  virtual ~File() = default;
  virtual std::string head() const = 0;
  virtual std::string text(const Rows& rows, std::int64_t firstIndex) const = 0;
};

class CsvFile : public File {
 public:
  explicit CsvFile(const std::vector<std::string>& classNames) : classNames_(classNames) {}

  std::string head() const override { return predictionsHead(classNames_); }

  std::string text(const Rows& rows, std::int64_t firstIndex) const override {
    std::string lines;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      lines += std::to_string(firstIndex + i) + ',' + std::to_string(rows.labels[row]) + ',' +
               std::to_string(rows.predictions[row]) + ',' + textOf(rows.losses[row]);
      for (std::int64_t c = 0; c < rows.classes; ++c) {
        lines += ',' + textOf(rows.probabilities[static_cast<std::size_t>(i * rows.classes + c)]);
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

  std::string text(const Rows& rows, std::int64_t firstIndex) const override {
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

std::unique_ptr<File> fileFor(const std::filesystem::path& path, const EvaluatedRun& run) {
  const std::vector<std::string>& classes = run.images.classNames;
  if (path.extension() == ".npy") return std::make_unique<NpyFile>(run.count(), classes.size());
  return std::make_unique<CsvFile>(classes);
}

using Append = std::function<void(std::string_view text)>;

/// Gives the content of the file to `append`, part by part. Returns the scores of all predictions;
/// nothing if the control asked to stop.
std::optional<Scores> predict(EvaluatedRun& run,
                              const File& file,
                              const Append& append,
                              RunControl& control,
                              Observer& observer) {
  append(file.head());
  std::int64_t done = 0, right = 0;
  double loss = 0;
  const auto take = [&](const at::Tensor& logits, const at::Tensor& labels) {
    const Rows rows = rowsOf(logits, labels);
    append(file.text(rows, done));
    done += rows.count;
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      right += rows.labels[i] == rows.predictions[i] ? 1 : 0;
      loss += rows.losses[i];
    }
  };
  const auto proceed = [&](std::int64_t images) {
    observer.evaluated({std::string(nameOf(run.split)), images, run.count()});
    return waitForBatch(control, observer);
  };
  if (!classify(*run.loaded.network, run.images, run.data.maker(), proceed, take)) {
    return std::nullopt;
  }
  if (!std::isfinite(loss)) {
    throw Error(run.checkpoint.string(),
                "its loss is not finite: the network overflows",
                "Use an earlier checkpoint.");
  }
  const auto total = static_cast<double>(run.count());
  return Scores{loss / total, static_cast<double>(right) / total};
}

}  // namespace

std::optional<WrittenPredictions> writePredictions(const EvaluationRequest& request,
                                                   const std::filesystem::path& path,
                                                   RunControl& control,
                                                   Observer& observer) {
  EvaluatedRun run(request);
  const std::unique_ptr<File> file = fileFor(path, run);
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
  EvaluatedRun run(request);
  const CsvFile file(run.images.classNames);
  const std::optional<Scores> scores = predict(run, file, print, control, observer);
  if (!scores) return std::nullopt;
  return run.keep(*scores);
}

}  // namespace lambda
