#pragma once

#include <QString>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"

namespace lambda {

/// A prediction in words, and the role of its colour: "Correct: predicted cat, 93 %" or "Wrong:
/// predicted dog, 93 %; true class: cat".
struct PredictionText {
  QString text;
  QString role;
};

/// Empty without probabilities and numbers.
PredictionText predictionText(const InspectionSnapshot& snapshot);

/// Empty for an image that the predictions do not have.
PredictionText predictionText(const Predictions& predictions, int image);

/// "cat", or "class 3" where the classes have no names.
QString className(const std::vector<std::string>& names, int label);

}  // namespace lambda
