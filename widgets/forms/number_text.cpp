#include "widgets/forms/number_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ranges>

namespace lambda {

namespace {

std::string asText(double value, std::chars_format format) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {buffer.data(), end};
}

double nextMultiple(double value, double unit, int direction) {
  double multiple = value / unit;
  // In floating point 0.29 / 0.01 is a little less than 29.
  if (std::abs(multiple - std::round(multiple)) < 1e-6) multiple = std::round(multiple);
  const double next = direction > 0 ? std::floor(multiple) + 1 : std::ceil(multiple) - 1;
  return next * unit;
}

double nextOdd(double value, int direction, double min) {
  double next = value + direction;
  if (std::fmod(next, 2) == 0) next += direction;
  // Below the smallest window that mixes anything the only step is 0, where the range includes it.
  if (min <= 0 && next < 3) return direction > 0 ? 3 : 0;
  return next;
}

double nextPowerOfTwo(double value, int direction) {
  if (value < 1) return direction > 0 ? 1 : 0;
  const double exponent = std::log2(value);
  return std::exp2(direction > 0 ? std::floor(exponent) + 1 : std::ceil(exponent) - 1);
}

/// Rounds off the error of decimal fractions: 0.3 instead of 0.30000000000000004.
double tidy(double value) {
  std::array<char, 40> buffer;
  const auto end =
      std::to_chars(
          buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, 11)
          .ptr;
  double rounded = value;
  std::from_chars(buffer.data(), end, rounded);
  return rounded;
}

double nextOneTwoFive(double value, int direction, double smallest) {
  if (value <= 0) return direction > 0 ? smallest : 0;
  constexpr std::array kMantissas{0.5, 1.0, 2.0, 5.0, 10.0};
  const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  const double mantissa = value / decade;
  if (direction > 0) {
    for (const double m : kMantissas) {
      if (m > mantissa * (1 + 1e-9)) return tidy(m * decade);
    }
    return tidy(10 * decade);
  }
  for (const double m : std::views::reverse(kMantissas)) {
    if (m < mantissa * (1 - 1e-9)) return tidy(m * decade);
  }
  return tidy(0.5 * decade);
}

double next(double value, int direction, Stepping stepping, double min, bool whole) {
  switch (stepping) {
    case Stepping::one:
      return value + direction;
    case Stepping::eights:
      return nextMultiple(value, 8, direction);
    case Stepping::odd:
      return nextOdd(value, direction, min);
    case Stepping::doubling:
      return nextPowerOfTwo(value, direction);
    case Stepping::hundredth:
      return tidy(nextMultiple(tidy(value), 0.01, direction));
    case Stepping::oneTwoFive:
      return nextOneTwoFive(value, direction, whole ? 1 : 1e-5);
  }
  return value;
}

}  // namespace

std::string shortestText(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e6) return asText(value, std::chars_format::fixed);
  std::string text = asText(value, std::chars_format::scientific);
  const std::size_t mark = text.find('e');
  if (mark == std::string::npos) return text;
  // "5e-04" to "5e-4", "1e+06" to "1e6"
  std::size_t digits = mark + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}

std::optional<double> numberOf(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', '.');
  double value = 0;
  const char* end = plain.data() + plain.size();
  const auto parsed = std::from_chars(plain.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value)) return {};
  return value;
}

std::string withoutGroups(std::string text) {
  const auto isSeparator = [](char c) { return c == ',' || c == '.' || c == ' '; };
  const std::size_t first = text.find_first_of(",. ");
  if (first == std::string::npos || first == 0 || first > 3 || text[0] == '0') return text;
  std::size_t digits = 3;
  for (const char c : std::string_view(text).substr(first)) {
    if (isSeparator(c) ? digits != 3 : std::isdigit(static_cast<unsigned char>(c)) == 0)
      return text;
    digits = isSeparator(c) ? 0 : digits + 1;
  }
  if (digits == 3) std::erase_if(text, isSeparator);
  return text;
}

double stepped(double value, int steps, Stepping stepping, double min, double max, bool whole) {
  const int direction = steps < 0 ? -1 : 1;
  for (int i = std::abs(steps); i > 0; --i) {
    value = std::clamp(next(value, direction, stepping, min, whole), min, max);
  }
  return whole ? std::round(value) : value;
}

}  // namespace lambda
