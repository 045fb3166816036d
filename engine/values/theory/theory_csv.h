#pragma once

#include <string>
#include <vector>

#include "engine/values/theory/theory_experiment.h"

namespace lambda {

/// A figure as CSV (RFC 4180): a line "series,X,Y" with the titles of its axes, then a line for
/// each point. Numbers that are not finite are empty cells.
std::string theoryCsv(const TheoryFigure& figure);

/// Numbers as CSV: a line "quantity,found,deviation,repetitions,unit,source,source's words", then a
/// line for each number. What is not known is an empty cell.
std::string theoryCsv(const std::vector<TheoryNumber>& numbers);

}  // namespace lambda
