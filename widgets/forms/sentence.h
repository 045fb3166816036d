#pragma once

#include <string>

#include <QString>

namespace lambda {

/// Turns a meaning or a finding, which begin in lower case, into a sentence: "at most 64" becomes
/// "At most 64". Names such as k and h keep their case.
QString sentence(const std::string& text);

}  // namespace lambda
