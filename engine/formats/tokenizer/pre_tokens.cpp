#include "engine/formats/tokenizer/pre_tokens.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

enum class Kind { letter, number, space, other };

Kind kindOf(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Kind::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::number;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Kind::space;
    default:
      break;
  }
  // The control characters of the property White_Space.
  const bool isSpace = (character >= '\t' && character <= '\r') || character == 0x85;
  return isSpace ? Kind::space : Kind::other;
}

/// Reads the characters of a text.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}

  /// The kind of the character at `at`, which is within the text, and its end.
  struct Character {
    Kind kind;
    std::size_t end;
  };

  Character operator()(std::size_t at) const {
    utf8proc_int32_t character = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text_.data()) + at;
    const auto rest = static_cast<utf8proc_ssize_t>(text_.size() - at);
    const utf8proc_ssize_t size = utf8proc_iterate(bytes, rest, &character);
    // A byte that is none of a character stands for itself.
    if (size <= 0) return {Kind::other, at + 1};
    return {kindOf(character), at + static_cast<std::size_t>(size)};
  }

  /// The end of the run of characters of that kind.
  std::size_t endOfRun(Kind kind, std::size_t at) const {
    while (at < text_.size()) {
      const Character next = (*this)(at);
      if (next.kind != kind) break;
      at = next.end;
    }
    return at;
  }

 private:
  std::string_view text_;
};

constexpr std::array<std::string_view, 7> kContractions{
    "'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

std::size_t endOfPreToken(std::string_view text, std::size_t at) {
  for (const std::string_view contraction : kContractions) {
    if (text.substr(at).starts_with(contraction)) return at + contraction.size();
  }
  const Characters characters(text);
  const Characters::Character first = characters(at);
  if (first.kind != Kind::space) return characters.endOfRun(first.kind, at);
  if (text[at] == ' ' && first.end < text.size()) {
    const Kind next = characters(first.end).kind;
    if (next != Kind::space) return characters.endOfRun(next, first.end);
  }
  // The last space before a word is left to it.
  std::size_t last = at, end = first.end;
  while (end < text.size()) {
    const Characters::Character next = characters(end);
    if (next.kind != Kind::space) return last == at ? end : last;
    last = end;
    end = next.end;
  }
  return end;
}

}  // namespace

std::string normalFormC(std::string_view text) {
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  utf8proc_uint8_t* bytes = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()),
                                             &bytes,
                                             kOptions);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(bytes, std::free);
  if (size < 0) throw Error("text", utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::vector<std::string_view> preTokensOf(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = endOfPreToken(text, at);
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

}  // namespace lambda
