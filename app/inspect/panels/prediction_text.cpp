#include "app/inspect/panels/prediction_text.h"

#include <algorithm>

#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// An empty `truth` = not known.
PredictionText inWords(const QString& predicted, double probability, const QString& truth) {
  const QString share = percentText(probability, 0);
  if (truth.isEmpty()) {
    return {u"Predicted: %1, %2"_s.arg(predicted, share), u"heading"_s};
  }
  if (truth == predicted) {
    return {u"Correct: predicted %1, %2"_s.arg(predicted, share), u"success"_s};
  }
  return {u"Wrong: predicted %1, %2; true class: %3"_s.arg(predicted, share, truth), u"error"_s};
}

}  // namespace

PredictionText predictionText(const InspectionSnapshot& snapshot) {
  if (!snapshot.numbers.empty()) return {numbersText(snapshot.numbers), u"heading"_s};
  const auto predicted = static_cast<std::size_t>(std::max(0, snapshot.predicted));
  if (predicted >= snapshot.probabilities.size()) return {};
  return inWords(className(snapshot.classNames, snapshot.predicted),
                 static_cast<double>(snapshot.probabilities[predicted]),
                 snapshot.label < 0 ? QString() : className(snapshot.classNames, snapshot.label));
}

PredictionText predictionText(const Predictions& predictions, int image) {
  const auto index = static_cast<std::size_t>(image);
  if (image < 0) return {};
  std::vector<NumberPrediction> numbers;
  for (const NumberColumn& column : predictions.numbers) {
    if (index >= column.truth.size()) return {};
    numbers.push_back({column.name, column.predicted[index], column.truth[index]});
  }
  if (!numbers.empty()) return {numbersText(numbers), u"heading"_s};
  if (index >= predictions.predicted.size()) return {};
  return inWords(className(predictions.classNames, predictions.predicted[index]),
                 static_cast<double>(predictions.confidence[index]),
                 className(predictions.classNames, predictions.labels[index]));
}

QString className(const std::vector<std::string>& names, int label) {
  if (label < 0) return u"not known"_s;
  if (label < static_cast<int>(names.size())) {
    return QString::fromStdString(names[static_cast<std::size_t>(label)]);
  }
  return u"class %1"_s.arg(label);
}

}  // namespace lambda
