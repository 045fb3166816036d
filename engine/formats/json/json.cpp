#include "engine/formats/json/json.h"

#include <iterator>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestReason = 240;

/// Iterates over a text and stores the position reached where the handler can read it, because
/// nlohmann's events do not report positions.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}

  reference operator*() const { return *at_; }

  TrackedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }

  TrackedIterator operator++(int) {
    TrackedIterator before = *this;
    ++*this;
    return before;
  }

  bool operator==(const TrackedIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// The reason in nlohmann's message, without its number, its position and the quoted text, which
/// may be of any length and need not be UTF-8.
std::string reasonOf(const std::string& message) {
  std::string reason = message.substr(message.find("] ") + 2);
  if (reason.rfind("parse error", 0) == 0) reason = reason.substr(reason.find(": ") + 2);
  const auto quoted = reason.find("; last read");
  if (quoted != std::string::npos) {
    const auto expected = reason.rfind("; expected ");
    const bool isNote = expected != std::string::npos && expected > quoted;
    reason = reason.substr(0, quoted) + (isNote ? reason.substr(expected) : "");
  }
  for (char& c : reason) {
    if (c < ' ' || c > '~') c = '?';
  }
  return reason.substr(0, kLongestReason);
}

/// Builds the document. Unlike nlohmann's own builder it refuses duplicate keys and too great a
/// depth.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view text, const std::string& file, const JsonLimits& limits)
      : text_(text), reached_(text.data()), file_(file), limits_(limits) {}

  Json build() {
    if (text_.size() > limits_.maxBytes) {
      throw Error(file_,
                  "line 1, column 1: the text has " + std::to_string(text_.size()) +
                      " bytes, but at most " + std::to_string(limits_.maxBytes) + " are accepted");
    }
    // nlohmann treats a zero byte as the end of the text and ignores the rest.
    const auto zero = text_.find('\0');
    if (zero != std::string_view::npos) {
      reached_ = text_.data() + zero + 1;
      fail("a zero byte");
    }
    const char* end = text_.data() + text_.size();
    Json::sax_parse(
        TrackedIterator(text_.data(), &reached_), TrackedIterator(end, &reached_), this);
    return std::move(root_);
  }

  bool null() override { return add(Json(nullptr)); }

  bool boolean(bool value) override { return add(Json(value)); }

  bool number_integer(Json::number_integer_t value) override { return add(Json(value)); }

  bool number_unsigned(Json::number_unsigned_t value) override { return add(Json(value)); }

  bool number_float(Json::number_float_t value, const std::string&) override {
    return add(Json(value));
  }

  bool string(std::string& value) override { return add(Json(std::move(value))); }

  bool binary(Json::binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }

  bool start_array(std::size_t) override { return open(Json::array()); }

  bool key(std::string& name) override {
    Frame& frame = open_.back();
    if (frame.node->contains(name)) fail(twice(name));
    frame.key = std::move(name);
    return true;
  }

  bool end_object() override { return close(); }

  bool end_array() override { return close(); }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    fail(reasonOf(error.what()));
  }

 private:
  struct Frame {
    Json* node;
    std::string key;
  };

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Frame& frame = open_.back();
    if (frame.node->is_array()) {
      frame.node->push_back(std::move(value));
      return &frame.node->back();
    }
    Json& member = (*frame.node)[frame.key];
    member = std::move(value);
    return &member;
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (static_cast<int>(open_.size()) >= limits_.maxDepth) {
      fail("objects and lists are more than " + std::to_string(limits_.maxDepth) + " deep");
    }
    Json* node = place(std::move(container));
    open_.push_back({node, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string twice(const std::string& name) const {
    const std::string place = path();
    if (name.size() + place.size() > kLongestReason) return "a key is there twice";
    return "the key \"" + name + "\" is there twice" + (place.empty() ? "" : " in " + place);
  }

  /// The path of the innermost open object or list.
  std::string path() const {
    std::string text;
    for (const Frame& frame : open_) {
      if (frame.node->is_array()) {
        text.append("[")
            .append(std::to_string(frame.node->empty() ? 0 : frame.node->size() - 1))
            .append("]");
      } else if (&frame != &open_.back()) {
        text += (text.empty() ? "" : ".") + frame.key;
      }
    }
    return text;
  }

  /// Throws an Error whose place is that of the last character read.
  [[noreturn]] void fail(const std::string& reason) const {
    std::size_t line = 1;
    std::size_t column = 1;
    for (const char* at = text_.data() + 1; at < reached_; ++at) {
      if (at[-1] == '\n') {
        ++line;
        column = 1;
      } else if ((static_cast<unsigned char>(*at) & 0xC0) != 0x80) {
        ++column;
      }
    }
    throw Error(
        file_,
        "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + reason);
  }

  std::string_view text_;
  const char* reached_;
  const std::string& file_;
  const JsonLimits& limits_;
  Json root_;
  std::vector<Frame> open_;
};

}  // namespace

std::string reasonWithinLine(const Error& error) {
  constexpr std::string_view kLine = "line 1, ";
  const std::string& reason = error.reason();
  return reason.starts_with(kLine) ? reason.substr(kLine.size()) : reason;
}

Json parseJson(std::string_view text, const std::string& file, const JsonLimits& limits) {
  return DocumentBuilder(text, file, limits).build();
}

}  // namespace lambda
