#pragma once

#include <cstddef>
#include <string>

namespace lambda {

/// Whether standard error is a terminal on which a line can be redrawn.
bool isErrorTerminal();

/// Columns of the terminal on standard error; 80 where it is no terminal.
std::size_t errorColumns();

/// Signs that have an ASCII form for terminals and logs that are not UTF-8.
enum class Glyph { rule, barDone, barLeft, dot };

std::string glyphText(Glyph glyph);

std::string repeatedGlyph(Glyph glyph, std::size_t count);

}  // namespace lambda
