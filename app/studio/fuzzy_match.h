#pragma once

#include <optional>

#include <QString>

namespace lambda {

/// How well a text answers what somebody typed: its letters occur in the text in their order.
/// Larger is better: letters that follow each other and beginnings of words count more, and short
/// texts win a tie. Nothing where a letter is missing. An empty pattern matches everything alike.
std::optional<int> fuzzyScore(const QString& pattern, const QString& text);

}  // namespace lambda
