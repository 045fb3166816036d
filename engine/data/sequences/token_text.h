#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/values/config/data_source.h"

namespace lambda {

/// How a person reads and writes the tokens of a network: as text, by a tokenizer or where they are
/// bytes, else as numbers with spaces between.
class TokenText {
 public:
  /// Without a tokenizer, tokens are bytes if there are 256 of them and the data is not drawn.
  /// `source`: what the network was trained on.
  TokenText(const DataSource& source,
            int vocabulary,
            std::shared_ptr<const Tokenizer> tokenizer = nullptr);

  bool isOfBytes() const { return form_ == Form::bytes; }

  /// Whether its tokens are those of a text, but only a tokenizer could tell which.
  bool lacksTokenizer() const { return form_ == Form::unknown; }

  /// The tokens of a text, or the numbers in it. Throws Error, with the place `prompt`, for what is
  /// no number or outside of the vocabulary, and as Tokenizer::tokensOf().
  std::vector<std::int64_t> tokensOf(std::string_view prompt) const;

  /// Whether tokens are written as numbers.
  bool hasNumbers() const { return form_ == Form::drawn || form_ == Form::unknown; }

  /// The bytes that a token stands for; U+FFFD where it stands for none. Only without numbers.
  std::string bytesOf(std::int64_t token) const;

  /// The token before a text of which nothing is given: a line break where tokens are bytes,
  /// because what follows begins a line; else 0, the filler of recall, the separator of copying and
  /// the end of the text before in the vocabularies of published networks.
  std::int64_t start() const { return isOfBytes() ? '\n' : 0; }

 private:
  enum class Form {
    bytes,
    tokenizer,
    drawn,    ///< Drawn by code, so that they mean nothing outside of their sequences.
    unknown,  ///< A tokenizer would tell, but it is not there.
  };

  int vocabulary_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  Form form_;
};

/// Turns tokens into text as they come.
class TokenWriter {
 public:
  /// `text` must outlive it.
  explicit TokenWriter(const TokenText& text) : text_(text) {}

  /// What a token adds to the text, which is always UTF-8: the bytes of a character that is not
  /// complete are held back, bytes that are none of a character become U+FFFD.
  std::string add(std::int64_t token);

  /// What was held back, at the end of all tokens.
  std::string finish();

 private:
  const TokenText& text_;
  bool isFirst_ = true;
  std::string held_;
};

}  // namespace lambda
