#pragma once

#include <string>

#include <QString>

namespace lambda {

/// A meaning or a finding, which begin in lower case, as a sentence of its own: "at most 64" is "At
/// most 64". Names such as k and h stay as they are.
QString sentence(const std::string& text);

}  // namespace lambda
