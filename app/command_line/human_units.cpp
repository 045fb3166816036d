#include "app/command_line/human_units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "engine/values/text/text.h"

namespace lambda {

namespace {

std::string twoDigits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

/// Three significant digits of a value from 1 up to 1000.
std::string threeDigits(double value) {
  if (value < 9.995) return fixedText(value, 2);
  return fixedText(value, value < 99.95 ? 1 : 0);
}

/// `value` in the largest of the units, each `step` times the one before, in which it is above 1.
template <std::size_t N>
std::string scaledText(double value, double step, const std::array<const char*, N>& units) {
  if (!std::isfinite(value)) return formatNumber(value);
  std::size_t unit = 0;
  while (unit + 1 < N && std::abs(value) >= 999.5) {
    value /= step;
    ++unit;
  }
  return (unit == 0 ? fixedText(value, 0) : threeDigits(value)) + units[unit];
}

}  // namespace

std::string fixedText(double value, int digits) {
  if (!std::isfinite(value)) return formatNumber(value);
  std::array<char, 400> text;
  const auto end = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

std::string scientificText(double value) {
  if (!std::isfinite(value)) return formatNumber(value);
  std::array<char, 32> text;
  const auto end = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::scientific, 1);
  return {text.data(), end.ptr};
}

std::string groupedText(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string countText(double count) {
  return scaledText(count, 1e3, std::array{"", " k", " M", " G", " T", " P"});
}

std::string bytesText(std::uint64_t bytes) {
  return scaledText(
      static_cast<double>(bytes), 1024, std::array{" B", " KiB", " MiB", " GiB", " TiB"});
}

std::string percentText(double share) {
  return fixedText(share * 100, 2) + " %";
}

std::string durationText(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 59.95) return fixedText(seconds, seconds < 9.95 ? 1 : 0) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + " min " + twoDigits(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + twoDigits(whole % 3600 / 60) + " min";
}

std::string clockText(double seconds) {
  if (!(seconds >= 0)) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minutes = whole / 60;
  if (minutes < 60) return std::to_string(minutes) + ":" + twoDigits(whole % 60);
  return std::to_string(minutes / 60) + ":" + twoDigits(minutes % 60) + ":" + twoDigits(whole % 60);
}

std::string pluralText(std::int64_t count, const std::string& noun) {
  return groupedText(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace lambda
