#pragma once

#include <optional>

#include <QString>

namespace lambda {

/// How well a text matches the typed letters, which must occur in the text in their order. Larger
/// is better: consecutive letters and beginnings of words count more, and short texts win a tie.
/// None where a letter is missing. An empty pattern matches all texts equally.
std::optional<int> fuzzyScore(const QString& pattern, const QString& text);

}  // namespace lambda
