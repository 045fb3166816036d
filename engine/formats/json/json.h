#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/runtime/error.h"

namespace lambda {

struct JsonLimits {
  std::size_t maxBytes = 1 << 20;
  int maxDepth = 16;  ///< Nesting depth of objects and lists.
};

/// Parses one JSON document of untrusted text. Throws Error(`file`, "line L, column C: reason")
/// for text that is too large or too deep, is not UTF-8, names a key twice, holds a number beyond
/// double, NaN or a zero byte, or continues after the document. Columns count characters from 1.
nlohmann::json parseJson(std::string_view text,
                         const std::string& file,
                         const JsonLimits& limits = {});

/// The reason of an Error on a document that is one line of a file, whose number the caller names.
std::string reasonWithinLine(const Error& error);

/// How a string that is not UTF-8 is written: refused throws an Error naming the nearest key, for
/// files that are read again; replaced writes U+FFFD for the invalid bytes, for reports.
enum class ForeignText { refused, replaced };

/// The document in a readable form: 2 spaces per level, objects and lists on one line if they fit
/// in 100 columns, numbers as formatNumber() writes them, keys in their order, a final newline. A
/// string with characters that a terminal would obey is written in ASCII (\uXXXX). A number that is
/// not finite becomes null, since JSON has none; callers store such numbers as texts if they must
/// be read again.
std::string formatJson(const nlohmann::ordered_json& document,
                       ForeignText foreign = ForeignText::refused);

/// The same on a single line, without the newline.
std::string formatJsonLine(const nlohmann::ordered_json& document);

}  // namespace lambda
