#include "engine/data/sequences/token_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <variant>

#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

/// Whether tokens are drawn by code and mean nothing outside of their sequences.
bool isDrawn(const DataSource& source) {
  return std::holds_alternative<RecallSource>(source) || std::holds_alternative<CopySource>(source);
}

}  // namespace

TokenText::TokenText(const DataSource& source, int vocabulary)
    : vocabulary_(vocabulary),
      isOfBytes_(vocabulary == TextSource::vocabulary && !isDrawn(source)) {}

std::vector<std::int64_t> TokenText::tokensOf(std::string_view prompt) const {
  std::vector<std::int64_t> tokens;
  if (isOfBytes_) {
    for (const char byte : prompt) tokens.push_back(static_cast<unsigned char>(byte));
    return tokens;
  }
  while (true) {
    prompt.remove_prefix(std::min(prompt.find_first_not_of(kSpaces), prompt.size()));
    if (prompt.empty()) return tokens;
    const std::string_view word = prompt.substr(0, prompt.find_first_of(kSpaces));
    std::int64_t token = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), token);
    const bool isNumber = read.ec == std::errc() && read.ptr == word.data() + word.size();
    if (!isNumber || token < 0 || token >= vocabulary_) {
      throw Error(
          "prompt",
          std::string(utf8Prefix(word, 40)) + " is no token of this network",
          "Give numbers from 0 to " + std::to_string(vocabulary_ - 1) + " with spaces between.");
    }
    tokens.push_back(token);
    prompt.remove_prefix(word.size());
  }
}

std::string TokenWriter::add(std::int64_t token) {
  if (!isOfBytes_) return (std::exchange(isFirst_, false) ? "" : " ") + std::to_string(token);
  held_ += static_cast<char>(token);
  const std::size_t complete = withoutCutCharacter(held_).size();
  std::string text = withValidUtf8(std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return text;
}

std::string TokenWriter::finish() {
  return withValidUtf8(std::exchange(held_, {}));
}

}  // namespace lambda
