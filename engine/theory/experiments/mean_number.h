#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/values/theory/theory_experiment.h"

namespace lambda::theory {

/// The mean of repetitions, with their standard deviation if there are at least two.
TheoryNumber meanNumber(std::string title,
                        std::span<const double> values,
                        std::string unit,
                        std::optional<double> published,
                        std::string publishedText = {});

}  // namespace lambda::theory
