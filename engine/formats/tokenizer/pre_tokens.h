#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The text in the normal form C of Unicode 15. `text` is UTF-8; one that is not, or too large for
/// the memory, throws Error.
std::string normalFormC(std::string_view text);

/// Cuts a text, which is UTF-8, into the parts that byte pairs are joined within, as GPT-2 does:
/// the matches, one behind the other, of
///
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///
/// They cover the whole text.
std::vector<std::string_view> preTokensOf(std::string_view text);

}  // namespace lambda
