#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "widgets/forms/field_rows.h"

namespace lambda {

/// The shortest text that reads back as the same number, as people write it: "0.1", "5e-4", "1e6".
std::string numberText(double value);

/// The number in a text: "12", " 5E-4 ", "0,5"; nothing where it is none, or not finite.
std::optional<double> numberOf(std::string_view text);

/// The next value after `value` in the direction of `steps`, that many times, within the range.
/// A whole number stays one.
double stepped(double value, int steps, Stepping stepping, double min, double max, bool whole);

}  // namespace lambda
