#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/formats/tokenizer/byte_pairs.h"

namespace lambda {

/// What turns a text into the tokens of a network and back, as a file tokenizer.json of the library
/// `tokenizers` describes it. Of the kinds of such files this is the one of GPT-2, GPT-NeoX and
/// RWKV-4: byte pairs within the parts that preTokensOf() cuts, and added tokens, which stand in a
/// text as they are. Gives the tokens that the library gives.
class Tokenizer {
 public:
  /// The size of the largest file that is read, several times that of published ones.
  static constexpr std::size_t maxBytes = std::size_t{64} << 20;

  /// Reads an untrusted document. Throws Error with `place` and the place in the document for one
  /// that is damaged or of another kind: with an option by which texts would have other tokens.
  static Tokenizer fromJson(std::string_view text, const std::string& place);

  /// The same of a file.
  static Tokenizer read(const std::filesystem::path& file);

  /// The same of a file for a network with so many tokens, which throws Error if it has not all of
  /// the tokenizer.
  static Tokenizer readFor(int vocabulary, const std::filesystem::path& file);

  /// The tokens of a text. Throws Error, with the place `prompt`, for one that is not UTF-8 or has
  /// a byte without a token.
  std::vector<std::int64_t> tokensOf(std::string_view text) const;

  /// The bytes that a token stands for; null for a number that is no token.
  const std::string* bytesOf(std::int64_t token) const;

  /// One more than the largest token.
  std::int64_t size() const { return std::ssize(bytes_); }

 private:
  class Reader;

  /// Texts of tokens, the longest of which is found at a place of a text.
  class AddedTokens {
   public:
    void add(const std::string& content, std::int32_t token);

    struct Found {
      std::int32_t token;
      std::size_t size;
    };

    /// The longest one that the text begins with; a size of 0 where there is none.
    Found longestAt(std::string_view text) const;

   private:
    std::map<std::string, std::int32_t, std::less<>> tokens_;
    std::array<std::vector<std::size_t>, 256> sizes_;  // By the first byte, the largest first.
  };

  template <class Rest>
  void split(std::string_view text,
             const AddedTokens& added,
             std::vector<std::int64_t>& tokens,
             const Rest& rest) const;
  void addPreToken(std::string_view part, std::vector<std::int64_t>& tokens) const;

  std::vector<std::string> bytes_;        // Empty for a number that is no token.
  std::array<std::int32_t, 256> ofByte_;  // The token of a byte, or -1.
  BytePairs pairs_;
  bool normalizes_ = false;   // Texts get the normal form C.
  AddedTokens asTheyAre_;     // Found in the text as it is.
  AddedTokens inNormalized_;  // Found in the normalised text.
};

/// Where the tokenizer of a network is kept: NAME.tokenizer.json beside NAME.safetensors.
std::filesystem::path tokenizerBeside(std::filesystem::path weights);

}  // namespace lambda
