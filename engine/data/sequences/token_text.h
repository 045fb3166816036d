#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/data_source.h"

namespace lambda {

/// How a person reads and writes the tokens of a network: as text, where they are bytes, else as
/// numbers with spaces between.
class TokenText {
 public:
  /// Tokens are bytes if there are 256 of them and the data is not drawn. `source`: what the
  /// network was trained on.
  TokenText(const DataSource& source, int vocabulary);

  bool isOfBytes() const { return isOfBytes_; }

  /// The bytes of a text, or the numbers in it. Throws Error, with the place `prompt`, for what is
  /// no number or outside of the vocabulary.
  std::vector<std::int64_t> tokensOf(std::string_view prompt) const;

  /// The token before a text of which nothing is given: a line break where tokens are bytes,
  /// because what follows begins a line; else 0, the filler of recall, the separator of copying and
  /// the end of the text before in the vocabularies of published networks.
  std::int64_t start() const { return isOfBytes_ ? '\n' : 0; }

 private:
  int vocabulary_;
  bool isOfBytes_;
};

/// Turns tokens into text as they come.
class TokenWriter {
 public:
  explicit TokenWriter(const TokenText& text) : isOfBytes_(text.isOfBytes()) {}

  /// What a token adds to the text, which is always UTF-8: the bytes of a character that is not
  /// complete are held back, bytes that are none of a character become U+FFFD.
  std::string add(std::int64_t token);

  /// What was held back, at the end of all tokens.
  std::string finish();

 private:
  bool isOfBytes_;
  bool isFirst_ = true;
  std::string held_;
};

}  // namespace lambda
