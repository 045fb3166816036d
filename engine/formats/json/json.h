#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace lambda {

struct JsonLimits {
  std::size_t maxBytes = 1 << 20;
  int maxDepth = 16;  ///< Objects and lists within each other.
};

/// Parses one JSON document of untrusted text. Throws Error(`file`, "line L, column C: reason")
/// for text that is too large or too deep, is not UTF-8, names a key twice, holds a number beyond
/// double, NaN or a zero byte, or goes on after the document. Columns count characters from 1.
nlohmann::json parseJson(std::string_view text,
                         const std::string& file,
                         const JsonLimits& limits = {});

/// What becomes of a string that is not UTF-8: an Error naming the nearest key, for files that are
/// read again, or U+FFFD in the place of what can't be read, for reports.
enum class ForeignText { refused, replaced };

/// The document as people write it: 2 spaces a level, objects and lists on one line where they fit
/// in 100 columns, numbers as formatNumber() has them, keys in their order, a final newline.
/// A string with characters that a terminal would obey is written in ASCII (\uXXXX). A number that
/// is not finite becomes null: JSON has none, and what is read again is stored as a text before.
std::string formatJson(const nlohmann::ordered_json& document,
                       ForeignText foreign = ForeignText::refused);

/// The same on a single line, without the newline.
std::string formatJsonLine(const nlohmann::ordered_json& document);

}  // namespace lambda
