#pragma once

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/explanation.h"

namespace lambda {

/// The explanation of the lambda matrix, with the numbers of a snapshot; null = without numbers.
ExplanationText lambdaExplanation(const InspectionSnapshot* snapshot);

/// The explanation of the position embeddings.
ExplanationText positionExplanation(const InspectionSnapshot* snapshot);

}  // namespace lambda
