#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "widgets/forms/field_rows.h"

namespace lambda {

/// The shortest text that reads back as the same number, in common notation: "0.1", "5e-4", "1e6".
std::string shortestText(double value);

/// The number in a text: "12", " 5E-4 ", "0,5"; none where the text is no finite number.
std::optional<double> numberOf(std::string_view text);

/// A whole number without what separates its groups of three digits: "50,000" and "50.000" are
/// 50000, and never 50. Other texts are unchanged.
std::string withoutGroups(std::string text);

/// The value after that many steps from `value` in the direction of `steps`, within the range.
/// Whole numbers stay whole.
double stepped(double value, int steps, Stepping stepping, double min, double max, bool whole);

}  // namespace lambda
