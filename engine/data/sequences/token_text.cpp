#include "engine/data/sequences/token_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

}  // namespace

TokenText::TokenText(const DataSource& source,
                     int vocabulary,
                     std::shared_ptr<const Tokenizer> tokenizer)
    : vocabulary_(vocabulary),
      tokenizer_(std::move(tokenizer)),
      form_(tokenizer_                             ? Form::tokenizer
            : traitsOf(source).tokensAreDrawn      ? Form::drawn
            : vocabulary == TextSource::vocabulary ? Form::bytes
                                                   : Form::unknown) {}

std::vector<std::int64_t> TokenText::tokensOf(std::string_view prompt) const {
  if (form_ == Form::tokenizer) return tokenizer_->tokensOf(prompt);
  std::vector<std::int64_t> tokens;
  if (isOfBytes()) {
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
      throw Error("prompt",
                  std::string(utf8Prefix(word, 40)) + " is no token of this network",
                  "Give numbers from 0 to " + std::to_string(vocabulary_ - 1) +
                      " with spaces between" +
                      (lacksTokenizer() ? ", or the file of its tokenizer." : "."));
    }
    tokens.push_back(token);
    prompt.remove_prefix(word.size());
  }
}

std::string TokenText::bytesOf(std::int64_t token) const {
  if (isOfBytes()) return {static_cast<char>(token)};
  const std::string* bytes = tokenizer_->bytesOf(token);
  return bytes == nullptr ? "\ufffd" : *bytes;
}

std::string TokenWriter::add(std::int64_t token) {
  if (text_.hasNumbers()) {
    return (std::exchange(isFirst_, false) ? "" : " ") + std::to_string(token);
  }
  held_ += text_.bytesOf(token);
  const std::size_t complete = withoutCutCharacter(held_).size();
  std::string text = withValidUtf8(std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return text;
}

std::string TokenWriter::finish() {
  return withValidUtf8(std::exchange(held_, {}));
}

}  // namespace lambda
