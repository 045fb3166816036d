#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lambda {

/// The bytes as text, with two lower-case hexadecimal digits per byte.
inline std::string hexText(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace lambda
