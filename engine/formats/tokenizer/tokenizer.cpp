#include "engine/formats/tokenizer/tokenizer.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/json.h"
#include "engine/formats/tokenizer/pre_tokens.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::int64_t kMostTokens = 1 << 21;
constexpr std::size_t kLongestAdded = 256;
constexpr std::size_t kLongestShown = 60;

constexpr const char* kHint =
    "Give the tokenizer.json of a network such as GPT-2, GPT-NeoX or RWKV-4: byte-level byte "
    "pairs.";

std::size_t indexOf(char byte) {
  return static_cast<unsigned char>(byte);
}

/// Whether the files write a byte as the character of that number; the others are written, in their
/// order, as the characters from 256 on.
bool isWrittenAsItIs(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/// The byte of each character of the files, by its number; -1 for those that stand for none.
std::array<int, 324> bytesOfCharacters() {
  std::array<int, 324> bytes;
  bytes.fill(-1);
  std::size_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    bytes[isWrittenAsItIs(byte) ? static_cast<std::size_t>(byte) : next++] = byte;
  }
  return bytes;
}

/// The bytes that a token of the files, which is UTF-8, stands for; nothing if a character stands
/// for no byte.
std::optional<std::string> bytesOfWritten(std::string_view written) {
  static const std::array<int, 324> kBytes = bytesOfCharacters();
  std::string bytes;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::size_t character = indexOf(written[i]);
    // A character of more than two bytes has a first byte from 0xe0 on.
    if (character >= 0xe0) return std::nullopt;
    if (character >= 0x80) {
      character = (character & 0x1fU) << 6U | (indexOf(written[++i]) & 0x3fU);
    }
    if (character >= kBytes.size() || kBytes[character] < 0) return std::nullopt;
    bytes += static_cast<char>(kBytes[character]);
  }
  return bytes;
}

std::string inQuotes(std::string_view text) {
  const std::string_view shown = utf8Prefix(text, kLongestShown);
  return '"' + terminalText(shown) + (shown.size() < text.size() ? "…\"" : "\"");
}

}  // namespace

/// Reads a document, whose parts are checked one by one.
class Tokenizer::Reader {
 public:
  using Json = nlohmann::json;

  Reader(const Json& document, const std::string& place) : document_(document), place_(place) {}

  Tokenizer read() {
    requireKind();
    tokenizer_.ofByte_.fill(-1);
    readVocabulary();
    readMerges();
    readAddedTokens();
    return std::move(tokenizer_);
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& reason) const {
    throw Error(place_, path + " " + reason, kHint);
  }

  /// A part of the document; null where there is none.
  static const Json& at(const Json& object, const char* name) {
    static const Json kNone;
    if (!object.is_object()) return kNone;
    const auto found = object.find(name);
    return found == object.end() ? kNone : *found;
  }

  void requireType(const char* part, const char* type) const {
    const Json& value = at(document_, part);
    if (at(value, "type") == type) return;
    refuse(part, std::string("is not of the type ") + type);
  }

  /// Throws Error unless an option is absent, null or has that value.
  void requireUsual(const Json& part,
                    const std::string& path,
                    const char* option,
                    const Json& usual) const {
    const Json& value = at(part, option);
    if (value.is_null() || value == usual) return;
    refuse(path + "." + option, "is set, which is not supported");
  }

  void requireKind() {
    requireType("model", "BPE");
    requireType("pre_tokenizer", "ByteLevel");
    requireType("decoder", "ByteLevel");
    if (!at(document_, "post_processor").is_null()) requireType("post_processor", "ByteLevel");
    if (!at(document_, "normalizer").is_null()) requireType("normalizer", "NFC");
    tokenizer_.normalizes_ = !at(document_, "normalizer").is_null();
    const Json& cutting = at(document_, "pre_tokenizer");
    // The library's default is true.
    if (at(cutting, "add_prefix_space") != false) {
      refuse("pre_tokenizer.add_prefix_space", "is not false, which is not supported");
    }
    requireUsual(cutting, "pre_tokenizer", "use_regex", true);
    const Json& model = at(document_, "model");
    for (const char* option : {"byte_fallback", "ignore_merges"}) {
      requireUsual(model, "model", option, false);
    }
    for (const char* option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      requireUsual(model, "model", option, "");
    }
    requireUsual(model, "model", "dropout", 0);
  }

  std::int32_t tokenOf(const Json& value, const std::string& path) const {
    if (value.is_number_integer()) {
      const auto token = value.get<std::int64_t>();
      if (token >= 0 && token < kMostTokens) return static_cast<std::int32_t>(token);
    }
    refuse(path, "has no number from 0 to " + std::to_string(kMostTokens - 1));
  }

  void addToken(std::int32_t token, std::string bytes, const std::string& path) {
    std::vector<std::string>& all = tokenizer_.bytes_;
    const auto index = static_cast<std::size_t>(token);
    if (index >= all.size()) all.resize(index + 1);
    if (!all[index].empty()) {
      refuse(path, "has the number " + std::to_string(token) + ", which another one has too");
    }
    if (bytes.size() == 1) tokenizer_.ofByte_[indexOf(bytes.front())] = token;
    all[index] = std::move(bytes);
  }

  void readVocabulary() {
    const Json& vocabulary = at(at(document_, "model"), "vocab");
    if (!vocabulary.is_object() || vocabulary.empty()) refuse("model.vocab", "has no tokens");
    for (const auto& [written, number] : vocabulary.items()) {
      const std::string path = "model.vocab: " + inQuotes(written);
      std::optional<std::string> bytes = bytesOfWritten(written);
      if (!bytes || bytes->empty())
        refuse(path, "is not written in characters that stand for bytes");
      addToken(tokenOf(number, path), std::move(*bytes), path);
    }
  }

  /// Both parts of a rule, "a b" or ["a", "b"].
  std::pair<std::string, std::string> partsOf(const Json& rule, const std::string& path) const {
    if (rule.is_array() && rule.size() == 2 && rule[0].is_string() && rule[1].is_string()) {
      return {rule[0], rule[1]};
    }
    if (rule.is_string()) {
      const auto& text = rule.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space != std::string::npos && text.find(' ', space + 1) == std::string::npos) {
        return {text.substr(0, space), text.substr(space + 1)};
      }
    }
    refuse(path, "is not a pair of tokens");
  }

  void readMerges() {
    const Json& model = at(document_, "model");
    const Json& rules = at(model, "merges");
    const Json& vocabulary = at(model, "vocab");
    if (!rules.is_array()) refuse("model.merges", "is no list");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::string path = "model.merges[" + std::to_string(i) + "]";
      const auto [left, right] = partsOf(rules[i], path);
      const auto token = [&](const std::string& written) {
        const auto found = vocabulary.find(written);
        if (found == vocabulary.end())
          refuse(path, "has " + inQuotes(written) + ", which is no token");
        return found->get<std::int32_t>();
      };
      const std::int32_t first = token(left), second = token(right);
      if (!tokenizer_.pairs_.add(first, second, token(left + right))) {
        refuse(path, "is there twice");
      }
    }
  }

  void readAddedTokens() {
    const Json& added = at(document_, "added_tokens");
    if (added.is_null()) return;
    if (!added.is_array()) refuse("added_tokens", "is no list");
    for (std::size_t i = 0; i < added.size(); ++i) {
      readAddedToken(added[i], "added_tokens[" + std::to_string(i) + "]");
    }
  }

  void readAddedToken(const Json& token, const std::string& path) {
    const Json& text = at(token, "content");
    if (!text.is_string() || text.empty()) refuse(path, "has no content");
    const auto& content = text.get_ref<const std::string&>();
    if (content.empty() || content.size() > kLongestAdded) {
      refuse(path, "has a content that is not of 1 to " + std::to_string(kLongestAdded) + " bytes");
    }
    for (const char* option : {"single_word", "lstrip", "rstrip"}) {
      requireUsual(token, path, option, false);
    }
    const std::int32_t number = tokenOf(at(token, "id"), path + ".id");
    const auto index = static_cast<std::size_t>(number);
    // One that the vocabulary has too is found as a whole.
    const bool isInVocabulary =
        index < tokenizer_.bytes_.size() && tokenizer_.bytes_[index] == content;
    if (!isInVocabulary) addToken(number, content, path);
    if (at(token, "normalized") == true) {
      const bool changes = tokenizer_.normalizes_;
      tokenizer_.inNormalized_.add(changes ? normalFormC(content) : content, number);
    } else {
      tokenizer_.asTheyAre_.add(content, number);
    }
  }

  const Json& document_;
  const std::string& place_;
  Tokenizer tokenizer_;
};

void Tokenizer::AddedTokens::add(const std::string& content, std::int32_t token) {
  if (!tokens_.try_emplace(content, token).second) return;
  std::vector<std::size_t>& sizes = sizes_[indexOf(content.front())];
  const auto place = std::ranges::lower_bound(sizes, content.size(), std::greater<>());
  if (place == sizes.end() || *place != content.size()) sizes.insert(place, content.size());
}

Tokenizer::AddedTokens::Found Tokenizer::AddedTokens::longestAt(std::string_view text) const {
  for (const std::size_t size : sizes_[indexOf(text.front())]) {
    if (size > text.size()) continue;
    const auto found = tokens_.find(text.substr(0, size));
    if (found != tokens_.end()) return {found->second, size};
  }
  return {0, 0};
}

Tokenizer Tokenizer::fromJson(std::string_view text, const std::string& place) {
  const nlohmann::json document = parseJson(text, place, {.maxBytes = maxBytes});
  return Reader(document, place).read();
}

Tokenizer Tokenizer::read(const std::filesystem::path& file) {
  return fromJson(readFile(file, maxBytes), file.string());
}

Tokenizer Tokenizer::readFor(int vocabulary, const std::filesystem::path& file) {
  Tokenizer tokenizer = read(file);
  if (tokenizer.size() <= vocabulary) return tokenizer;
  throw Error(file.string(),
              "has tokens up to " + std::to_string(tokenizer.size() - 1) +
                  ", and those of the network end at " + std::to_string(vocabulary - 1),
              "Give the tokenizer that the network was trained with.");
}

/// Adds the added tokens of a text; `rest` is called with what stands between them.
template <class Rest>
void Tokenizer::split(std::string_view text,
                      const AddedTokens& added,
                      std::vector<std::int64_t>& tokens,
                      const Rest& rest) const {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const AddedTokens::Found found = added.longestAt(text.substr(at));
    if (found.size == 0) {
      ++at;
      continue;
    }
    rest(text.substr(begin, at - begin));
    tokens.push_back(found.token);
    begin = at += found.size;
  }
  rest(text.substr(begin));
}

void Tokenizer::addPreToken(std::string_view part, std::vector<std::int64_t>& tokens) const {
  std::vector<std::int32_t> ofBytes;
  for (const char byte : part) {
    const std::int32_t token = ofByte_[indexOf(byte)];
    if (token < 0) {
      throw Error("prompt",
                  "the tokenizer has no token for the byte " + std::to_string(indexOf(byte)) +
                      " in " + inQuotes(part),
                  "Leave it out.");
    }
    ofBytes.push_back(token);
  }
  const std::vector<std::int32_t> joined = pairs_.join(std::move(ofBytes));
  tokens.insert(tokens.end(), joined.begin(), joined.end());
}

std::vector<std::int64_t> Tokenizer::tokensOf(std::string_view text) const {
  if (!isUtf8(text)) {
    throw Error("prompt",
                "is not UTF-8 from byte " + std::to_string(utf8Beginning(text).size()) +
                    " on, which the tokenizer of this network takes",
                "Convert it to UTF-8.");
  }
  std::vector<std::int64_t> tokens;
  split(text, asTheyAre_, tokens, [&](std::string_view section) {
    const std::string normal = normalizes_ ? normalFormC(section) : std::string(section);
    split(normal, inNormalized_, tokens, [&](std::string_view rest) {
      for (const std::string_view part : preTokensOf(rest)) addPreToken(part, tokens);
    });
  });
  return tokens;
}

const std::string* Tokenizer::bytesOf(std::int64_t token) const {
  if (token < 0 || token >= size()) return nullptr;
  const std::string& bytes = bytes_[static_cast<std::size_t>(token)];
  return bytes.empty() ? nullptr : &bytes;
}

std::filesystem::path tokenizerBeside(std::filesystem::path weights) {
  return weights.replace_extension(".tokenizer.json");
}

}  // namespace lambda
