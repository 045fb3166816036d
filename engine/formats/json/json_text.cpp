#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 2;

class JsonText {
 public:
  explicit JsonText(ForeignText foreign) : foreign_(foreign) {}

  std::string take() { return std::move(text_); }

  /// Writes `value` after `before` used columns of the line. One column is reserved for a comma.
  void write(const OrderedJson& value, std::size_t level, std::size_t before) {
    if (!value.is_structured() || value.empty()) {
      appendOnLine(value, std::numeric_limits<std::size_t>::max());
      return;
    }
    const std::size_t start = text_.size();
    const std::size_t space = before + 1 < kColumns ? kColumns - before - 1 : 0;
    if (level > 0 && appendOnLine(value, start + space)) return;
    text_.resize(start);
    writeLines(value, level);
  }

  /// Appends `value` on one line. Gives up, with a part appended, when the text grows beyond
  /// `limit` bytes.
  bool appendOnLine(const OrderedJson& value, std::size_t limit) {
    if (value.is_object()) {
      text_ += '{';
      bool first = true;
      for (const auto& [key, member] : value.items()) {
        if (!std::exchange(first, false)) text_ += ", ";
        appendKey(key);
        if (!appendOnLine(member, limit)) return false;
      }
      text_ += '}';
    } else if (value.is_array()) {
      text_ += '[';
      bool first = true;
      for (const OrderedJson& element : value) {
        if (!std::exchange(first, false)) text_ += ", ";
        if (!appendOnLine(element, limit)) return false;
      }
      text_ += ']';
    } else {
      appendScalar(value);
    }
    return text_.size() <= limit;
  }

 private:
  void writeLines(const OrderedJson& value, std::size_t level) {
    const bool isObject = value.is_object();
    text_ += isObject ? "{\n" : "[\n";
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!std::exchange(first, false)) text_ += ",\n";
      const std::size_t lineStart = text_.size();
      text_.append((level + 1) * kIndent, ' ');
      if (isObject) appendKey(key);
      write(member, level + 1, text_.size() - lineStart);
    }
    text_ += '\n';
    text_.append(level * kIndent, ' ');
    text_ += isObject ? '}' : ']';
  }

  void appendKey(const std::string& key) {
    lastKey_ = key;
    appendString(key);
    text_ += ": ";
  }

  void appendScalar(const OrderedJson& value) {
    if (value.is_string()) {
      appendString(value.get_ref<const std::string&>());
    } else if (value.is_number_float()) {
      const auto number = value.get<double>();
      text_ += std::isfinite(number) ? formatNumber(number) : "null";
    } else {
      text_ += value.dump();
    }
  }

  void appendString(const std::string& value) {
    const bool isAscii = terminalText(value, LineBreaks::kept) != value;
    const auto handler = foreign_ == ForeignText::refused ? OrderedJson::error_handler_t::strict
                                                          : OrderedJson::error_handler_t::replace;
    try {
      text_ += OrderedJson(value).dump(-1, ' ', isAscii, handler);
    } catch (const OrderedJson::type_error&) {
      throw Error(lastKey_, "the text is not UTF-8", "Names and texts in JSON must be UTF-8.");
    }
  }

  ForeignText foreign_;
  std::string text_;
  std::string lastKey_;
};

}  // namespace

std::string formatJson(const OrderedJson& document, ForeignText foreign) {
  JsonText text(foreign);
  text.write(document, 0, 0);
  return text.take() + "\n";
}

std::string formatJsonLine(const OrderedJson& document) {
  JsonText text(ForeignText::refused);
  text.appendOnLine(document, std::numeric_limits<std::size_t>::max());
  return text.take();
}

}  // namespace lambda
