#include "app/runs/compare/confused_images.h"

#include <algorithm>
#include <cstddef>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

template <class Predicate>
std::vector<int> surestFirst(const Predictions& predictions, Predicate isWanted) {
  const std::size_t count = std::min(
      {predictions.labels.size(), predictions.predicted.size(), predictions.confidence.size()});
  std::vector<int> images;
  for (std::size_t i = 0; i < count; ++i) {
    if (isWanted(predictions.labels[i], predictions.predicted[i]))
      images.push_back(static_cast<int>(i));
  }
  std::stable_sort(images.begin(), images.end(), [&](int a, int b) {
    return predictions.confidence[static_cast<std::size_t>(a)] >
           predictions.confidence[static_cast<std::size_t>(b)];
  });
  return images;
}

QString className(const Predictions& predictions, int label) {
  const auto index = static_cast<std::size_t>(label);
  return label >= 0 && index < predictions.classNames.size()
             ? QString::fromStdString(predictions.classNames[index])
             : QString::number(label);
}

}  // namespace

std::vector<int> imagesIn(const Predictions& predictions, const Cell& cell) {
  return surestFirst(predictions, [&](int label, int predicted) {
    return label == cell.row && predicted == cell.column;
  });
}

std::vector<int> wrongImages(const Predictions& predictions) {
  return surestFirst(predictions,
                     [](int label, int predicted) { return label >= 0 && label != predicted; });
}

double shareOfRight(const Predictions& predictions) {
  const std::size_t count = std::min(predictions.labels.size(), predictions.predicted.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i)
    right += predictions.labels[i] == predictions.predicted[i];
  return count > 0 ? static_cast<double>(right) / static_cast<double>(count) : 0;
}

QString describeImage(const Predictions& predictions, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= predictions.labels.size() || at >= predictions.predicted.size() ||
      at >= predictions.confidence.size() || at >= predictions.truthProbability.size()) {
    return {};
  }
  const QString truth = className(predictions, predictions.labels[at]);
  const QString sure = percentText(predictions.confidence[at]);
  if (predictions.labels[at] == predictions.predicted[at]) {
    return u"Image %1. Correct: predicted %2, %3"_s.arg(index).arg(truth, sure);
  }
  return u"Image %1. Wrong: predicted %3, %4; labelled %2, %5"_s.arg(index).arg(
      truth,
      className(predictions, predictions.predicted[at]),
      sure,
      percentText(predictions.truthProbability[at]));
}

}  // namespace lambda
