#include "engine/values/text/text_safety.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace lambda {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kLongestCharacter = 4;
constexpr std::string_view kHexDigits = "0123456789abcdef";

/// One character of a text, or one byte that is not part of a character.
struct Piece {
  std::size_t bytes = 1;
  bool isCharacter = false;
  char32_t character = 0;
  bool isCut = false;  ///< The text ends within a character, of which this is the first byte.
};

unsigned byteAt(std::string_view text, std::size_t index) {
  return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
}

/// The first piece of a text that is not empty (Unicode 15, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF).
Piece firstPiece(std::string_view text) {
  const unsigned lead = byteAt(text, 0);
  if (lead < 0x80) return {1, true, lead};
  std::size_t length = 0;
  unsigned lowest = 0x80, highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0) return {};
  if (lead == 0xE0) lowest = 0xA0;
  if (lead == 0xED) highest = 0x9F;
  if (lead == 0xF0) lowest = 0x90;
  if (lead == 0xF4) highest = 0x8F;
  char32_t character = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {.isCut = true};
    const unsigned byte = byteAt(text, i);
    if (byte < lowest || byte > highest) return {};
    character = (character << 6) | (byte & 0x3FU);
    lowest = 0x80;
    highest = 0xBF;
  }
  return {length, true, character};
}

template <class Visit>
void visitPieces(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const Piece piece = firstPiece(text);
    visit(piece, text.substr(0, piece.bytes));
    text.remove_prefix(piece.bytes);
  }
}

std::string hexText(char32_t value, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    text += kHexDigits[(value >> shift) & 15U];
  }
  return text;
}

std::string escapeOf(char32_t character) {
  switch (character) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      return character < 0x80 ? "\\x" + hexText(character, 2) : "\\u" + hexText(character, 4);
  }
}

std::string octalEscape(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return {'\\',
          static_cast<char>('0' + (value >> 6)),
          static_cast<char>('0' + ((value >> 3) & 7)),
          static_cast<char>('0' + (value & 7))};
}

bool isLetterOrDigit(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isPlainInShell(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
}

/// A number in decimal digits, or nan, inf or infinity, with or without a sign.
bool isNumber(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && (isDigit(text[1]) || text[1] == '.')) {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec != std::errc::invalid_argument && parsed.ptr == text.data() + text.size();
}

}  // namespace

std::string withValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  visitPieces(text, [&](const Piece& piece, std::string_view bytes) {
    valid += piece.isCharacter ? bytes : kReplacement;
  });
  return valid;
}

std::string_view utf8Beginning(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Piece piece = firstPiece(text.substr(end));
    if (!piece.isCharacter) break;
    end += piece.bytes;
  }
  return text.substr(0, end);
}

bool isUtf8(std::string_view text) {
  return utf8Beginning(text).size() == text.size();
}

std::string_view utf8Prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = 0;
  while (end < bytes) {
    const std::size_t next = end + firstPiece(text.substr(end)).bytes;
    if (next > bytes) break;
    end = next;
  }
  return text.substr(0, end);
}

std::string_view withoutCutCharacter(std::string_view text) {
  for (std::size_t i = text.size() - std::min(text.size(), kLongestCharacter); i < text.size();
       ++i) {
    if (firstPiece(text.substr(i)).isCut) return text.substr(0, i);
  }
  return text;
}

bool isControl(char32_t character) {
  struct Range {
    char32_t first, last;
  };

  constexpr std::array kControls = {Range{0x00, 0x1F},
                                    Range{0x7F, 0x9F},
                                    Range{0x061C, 0x061C},
                                    Range{0x200E, 0x200F},
                                    Range{0x2028, 0x202E},
                                    Range{0x2066, 0x2069}};
  return std::ranges::any_of(kControls, [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

std::string fileNamePart(std::string_view text, std::size_t bytes) {
  std::string part;
  visitPieces(text, [&](const Piece& piece, std::string_view characters) {
    const char32_t c = piece.character;
    const bool isPlain =
        c < 0x80 ? isLetterOrDigit(c) || c == U'-' || c == U'_' || c == U'.' : !isControl(c);
    part += piece.isCharacter && isPlain ? characters : std::string_view("-");
  });
  return std::string(utf8Prefix(part, bytes));
}

std::string terminalText(std::string_view text, LineBreaks lineBreaks) {
  std::string shown;
  shown.reserve(text.size());
  visitPieces(text, [&](const Piece& piece, std::string_view bytes) {
    const bool isKept = piece.character == U'\n' && lineBreaks == LineBreaks::kept;
    if (!piece.isCharacter) {
      shown += "\\x" + hexText(static_cast<unsigned char>(bytes.front()), 2);
    } else if (isControl(piece.character) && !isKept) {
      shown += escapeOf(piece.character);
    } else {
      shown += bytes;
    }
  });
  return shown;
}

std::string shellWord(std::string_view text) {
  // zsh replaces a word that begins with = by the path of a command.
  const bool isPlain = !text.empty() && text.front() != '=';
  if (isPlain && std::ranges::all_of(text, isPlainInShell)) return std::string(text);
  bool isShown = true;
  visitPieces(text, [&](const Piece& piece, std::string_view) {
    isShown &= piece.isCharacter && !isControl(piece.character);
  });
  if (isShown) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
  }
  std::string escaped;
  visitPieces(text, [&](const Piece& piece, std::string_view bytes) {
    // printf reads a - at its beginning as an option.
    const bool isActive =
        bytes.find_first_of("'\\%!") != std::string_view::npos || (bytes == "-" && escaped.empty());
    if (isActive || !piece.isCharacter || isControl(piece.character)) {
      for (const char byte : bytes) escaped += octalEscape(byte);
    } else {
      escaped += bytes;
    }
  });
  // A command's output loses the line breaks at its end.
  return text.ends_with('\n') ? "$'" + escaped + "'" : "\"$(printf '" + escaped + "')\"";
}

std::string shellPath(const std::string& path) {
  return shellWord(path.starts_with('-') ? "./" + path : path);
}

std::string csvCell(std::string_view text) {
  constexpr std::string_view kFormulaStarts = "=+-@\t\r";
  const bool isFormula = !text.empty() &&
                         kFormulaStarts.find(text.front()) != std::string_view::npos &&
                         !isNumber(text);
  std::string cell = isFormula ? "'" : "";
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return cell.append(text);
  cell.insert(0, 1, '"');
  for (const char c : text) {
    if (c == '"') cell.push_back('"');
    cell.push_back(c);
  }
  cell.push_back('"');
  return cell;
}

}  // namespace lambda
