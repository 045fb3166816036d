#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// A token as one visible word. A byte of a text: its character, "␣" for a space, "↵" for a line
/// break, "⇥" for a tab, and "\xe2" for the other control characters and bytes beyond ASCII. A
/// token that is no byte: its number.
std::string tokenLabel(std::int64_t token, bool isByte);

}  // namespace lambda
