#include "engine/data/labelling.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/split.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/metrics/predictions_csv.h"
#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

void requireSameFile(const DataConfig& config) {
  if (config.pseudoLabelsSha256.empty()) return;
  const std::string digest = sha256OfFile(config.pseudoLabels);
  if (digest == config.pseudoLabelsSha256) return;
  throw Error(config.pseudoLabels,
              "is not the file that data.pseudoLabelsSha256 names: its digest is " + digest,
              "Put the former file there, or clear data.pseudoLabelsSha256 to use this one.");
}

void requireSameLabels(const std::vector<ImagePrediction>& predictions,
                       const LabeledImages& train,
                       const std::vector<std::uint32_t>& labelled,
                       const std::string& file) {
  for (const std::uint32_t index : labelled) {
    if (predictions[index].label == train.labels[index]) continue;
    throw Error(file,
                "image " + std::to_string(index) + " has the label " +
                    std::to_string(predictions[index].label) + " there, but " +
                    std::to_string(train.labels[index]) +
                    " in this data: the predictions are of other data or of another split",
                "Export them from a run with the same data, data.validationCount and "
                "data.splitSeed.");
  }
}

}  // namespace

std::string ChosenLabels::summary() const {
  return formatCounted(static_cast<std::int64_t>(labelled), "image") + " labelled, " +
         formatCount(static_cast<std::int64_t>(pseudoLabelled)) + " pseudo-labelled, " +
         formatCount(static_cast<std::int64_t>(leftOut)) + " left out";
}

ChosenLabels imagesWithLabels(const LabeledImages& train, const DataConfig& config) {
  const std::vector<std::uint32_t> labelled =
      drawLabelled(train.labels, train.classNames, config.labelledPerClass, config.splitSeed);
  std::vector<ImagePrediction> predictions;
  if (!config.pseudoLabels.empty()) {
    requireSameFile(config);
    predictions = readPredictionsCsv(config.pseudoLabels, train.classNames, train.count());
    requireSameLabels(predictions, train, labelled, config.pseudoLabels);
  }
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint16_t> labels;
  auto next = labelled.begin();
  for (std::uint32_t i = 0; i < train.count(); ++i) {
    if (next != labelled.end() && *next == i) {
      ++next;
      chosen.push_back(i);
      labels.push_back(train.labels[i]);
    } else if (!predictions.empty() && predictions[i].probability >= config.pseudoLabelThreshold) {
      chosen.push_back(i);
      labels.push_back(predictions[i].prediction);
    }
  }
  ChosenLabels result;
  result.images = selectImages(train, chosen);
  result.images.labels = std::move(labels);
  result.labelled = labelled.size();
  result.pseudoLabelled = chosen.size() - labelled.size();
  result.leftOut = train.count() - chosen.size();
  return result;
}

}  // namespace lambda
