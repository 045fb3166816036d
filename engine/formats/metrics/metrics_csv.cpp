#include "engine/formats/metrics/metrics_csv.h"

#include <vector>

#include "engine/values/text/text.h"

namespace lambda {

namespace {

void appendLine(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + cells[i];
  text += "\n";
}

}  // namespace

std::string epochsCsv(const Metrics& metrics) {
  const ScoreTraits score =
      traitsOf(metrics.epochs.empty() ? ScoreKind() : metrics.epochs.front().train.scoredBy);
  std::string text = std::string("epoch,step,seconds,trainLoss,train") + score.inKey +
                     ",validationLoss,validation" + score.inKey + ",learningRate,imagesPerSecond\n";
  for (const EpochRecord& record : metrics.epochs) {
    const auto& validation = record.validation;
    appendLine(text,
               {std::to_string(record.epoch),
                std::to_string(record.step),
                formatNumber(record.seconds),
                formatNumber(record.train.loss),
                formatNumber(record.train.score),
                validation ? formatNumber(validation->loss) : "",
                validation ? formatNumber(validation->score) : "",
                formatNumber(record.learningRate),
                formatNumber(record.imagesPerSecond)});
  }
  return text;
}

std::string batchesCsv(const Metrics& metrics) {
  const ScoreTraits score =
      traitsOf(metrics.batches.empty() ? ScoreKind() : metrics.batches.front().scoredBy);
  std::string text = std::string("step,epoch,seconds,loss,") + score.key +
                     ",learningRate,gradientNorm,imagesPerSecond\n";
  for (const BatchRecord& record : metrics.batches) {
    appendLine(text,
               {std::to_string(record.step),
                std::to_string(record.epoch),
                formatNumber(record.seconds),
                formatNumber(record.loss),
                formatNumber(record.score),
                formatNumber(record.learningRate),
                formatNumber(record.gradientNorm),
                formatNumber(record.imagesPerSecond)});
  }
  return text;
}

}  // namespace lambda
