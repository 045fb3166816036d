#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of unknown origin (names, tags, paths, messages) made safe for the place where it is shown.

namespace lambda {

/// The text with every byte that is not part of a UTF-8 sequence replaced by U+FFFD.
std::string withValidUtf8(std::string_view text);

/// The longest beginning of `text` that is UTF-8.
std::string_view utf8Beginning(std::string_view text);

bool isUtf8(std::string_view text);

/// The longest beginning of `text` that has at most `bytes` bytes and cuts no UTF-8 sequence.
std::string_view utf8Prefix(std::string_view text, std::size_t bytes);

/// The text without the bytes at its end that more bytes may make a UTF-8 sequence.
std::string_view withoutCutCharacter(std::string_view text);

/// Whether a terminal or a reader would act on the character instead of showing it: control
/// characters (C0, DEL, C1), line and paragraph separators, and the marks that change the direction
/// of writing (Unicode 15, UAX #9).
bool isControl(char32_t character);

enum class LineBreaks { escaped, kept };

/// The text with everything escaped that a terminal would obey: control characters become \n, \t,
/// \x1b or \u202e, and bytes that are not UTF-8 become \xff. Other text is unchanged.
std::string terminalText(std::string_view text, LineBreaks lineBreaks = LineBreaks::escaped);

/// The text as one word of sh, bash and zsh, without control characters and bytes that are not
/// UTF-8. A text that has some is printed by a command within the word; only where it ends with a
/// line break is it written as $'...', which dash does not know and leaves as a harmless word.
std::string shellWord(std::string_view text);

/// A path as one word of a POSIX shell that no command reads as an option.
std::string shellPath(const std::string& path);

/// The text as a part of a name of a file: of ASCII, letters, digits, '-', '_' and '.' stay; so
/// does every other character that isControl() does not name. What does not stay becomes a dash.
/// The result has at most `bytes` bytes and cuts no character.
std::string fileNamePart(std::string_view text, std::size_t bytes);

/// The text as one cell of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula,
/// because it begins with = + - @, a tab or a carriage return, gets an apostrophe before it;
/// numbers are unchanged.
std::string csvCell(std::string_view text);

}  // namespace lambda
