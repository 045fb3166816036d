#pragma once

#include <vector>

#include <QString>

#include "engine/values/fields/problem.h"

namespace lambda {

/// Problems of one kind in several parts of a network: one finding with one fix for all.
using ProblemGroup = std::vector<Problem>;

/// Whether two problems differ only in their place and their numbers.
bool areOfOneKind(const Problem& a, const Problem& b);

/// The problems by kind: errors before warnings, otherwise in their order.
std::vector<ProblemGroup> groupsOf(const std::vector<Problem>& problems);

/// The fixes of all problems that have one.
std::vector<Fix> fixesOf(const ProblemGroup& group);

/// "Stage 2, block 3", "3 blocks: stage 2, blocks 1 to 3", "Recipe"
QString placeOf(const ProblemGroup& group);

/// Says what is wrong. Of several problems with different numbers it gives the first as an example.
QString textOf(const ProblemGroup& group);

/// The text of the button that fixes all: "Set h to 4", "Fix all 3".
QString fixTextOf(const ProblemGroup& group);

/// The name of the undo step: "Set h to 4", "Set h to 4 in 3 places".
QString stepTextOf(const std::vector<Fix>& fixes);

}  // namespace lambda
