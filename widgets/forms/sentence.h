#pragma once

#include <string>

#include <QString>

namespace lambda {

struct FieldRow;

/// Turns a meaning or a finding, which begin in lower case, into a sentence: "at most 64" becomes
/// "At most 64". Names such as k and h, and paths of fields, keep their case.
QString sentence(const std::string& text);

/// The hint of a field, else its meaning as a sentence.
QString hintOf(const FieldRow& row);

/// The hint as rich text, which is broken into lines.
QString toolTipOf(const FieldRow& row);

}  // namespace lambda
