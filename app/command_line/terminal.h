#pragma once

#include <cstddef>
#include <string>

namespace lambda {

/// Whether standard error is a terminal on which a line can be drawn again.
bool isErrorTerminal();

/// Columns of the terminal on standard error; 80 where that is none.
std::size_t errorColumns();

/// Signs with a plain form for terminals and logs that are not UTF-8.
enum class Glyph { rule, barDone, barLeft, dot };

std::string glyphText(Glyph glyph);

std::string repeatedGlyph(Glyph glyph, std::size_t count);

}  // namespace lambda
