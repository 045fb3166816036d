#pragma once

#include <cstdint>
#include <string>

namespace lambda {

// Numbers as text, the same in every locale.

/// Formats a number with that many digits behind the point; NaN is "NaN", infinity "Infinity".
std::string fixedText(double value, int digits);

/// Two significant digits and an exponent: "2.3e-07".
std::string scientificText(double value);

/// "1,234,567"
std::string groupedText(std::int64_t count);

/// Three significant digits and a decimal prefix: "1.23 M", "456".
std::string countText(double count);

/// "1.5 GiB", "512 B"
std::string bytesText(std::uint64_t bytes);

/// A share of 0..1 as "97.31 %".
std::string percentText(double share);

/// "4.2 s", "3 min 05 s", "1 h 02 min"
std::string durationText(double seconds);

/// A duration as "0:42", "3:05", "1:02:03", short enough for a column.
std::string clockText(double seconds);

/// "1 epoch", "3 epochs"
std::string pluralText(std::int64_t count, const std::string& noun);

}  // namespace lambda
