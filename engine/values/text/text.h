#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The shortest decimal text that reads back as the same number, with a point in every locale;
/// "NaN", "Infinity" and "-Infinity" for values that JSON has no number for.
std::string formatNumber(double value);

/// The shortest decimal text that gives the same float when read.
std::string formatFloat(float value);

/// The entry of `names` that `name` is most likely a misspelling of, by edit distance without
/// regard to case; empty if none is close.
std::string nearestName(std::string_view name, std::span<const std::string_view> names);

/// What editors of Windows put at the start of a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The lines of a text file that a person wrote, without empty ones: a byte order mark at its
/// start and carriage returns at the ends of lines are no part of them.
std::vector<std::string> linesOf(std::string_view text);

/// "a, b, c"
std::string joined(std::span<const std::string_view> names);

/// Two lists that differ, as the lines of a message after its first: "\n  The data has 2: a, b".
/// Where one is too long to be read, the names that only one of them has follow.
std::string differingLists(const std::string& first,
                           const std::vector<std::string>& ofFirst,
                           const std::string& second,
                           const std::vector<std::string>& ofSecond);

}  // namespace lambda
