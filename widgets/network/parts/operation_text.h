#pragma once

#include <string_view>

#include <QString>

#include "engine/values/architecture/operations.h"

namespace lambda {

/// "8×8×192"
QString sizesText(const Operation& operation);

/// An equation as rich text: indices after "_" and "^" become subscripts and superscripts.
QString equationHtml(std::string_view equation);

/// The equation of an operation, the sizes of its result and what it does, as rich text.
QString explanationHtml(const Operation& operation);

/// An operation as text for screen readers: "queries, 8×8×64, 12,288 parameters, ...".
QString spokenText(const Operation& operation);

}  // namespace lambda
