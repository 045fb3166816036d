#pragma once

#include "engine/values/inspection.h"
#include "widgets/pictures/explanation.h"

namespace lambda {

/// What the lambda matrix is, with the numbers of a snapshot; null = without numbers.
ExplanationText lambdaExplanation(const InspectionSnapshot* snapshot);

/// The same of the position embeddings.
ExplanationText positionExplanation(const InspectionSnapshot* snapshot);

}  // namespace lambda
