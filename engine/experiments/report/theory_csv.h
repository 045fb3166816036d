#pragma once

#include <string>

#include "engine/values/theory/theory_experiment.h"

namespace lambda {

/// A figure as CSV (RFC 4180): a line "series,X,Y" with the titles of its axes, then a line for
/// each point. Numbers that are not finite are empty cells.
std::string theoryCsv(const TheoryFigure& figure);

}  // namespace lambda
