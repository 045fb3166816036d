#include "engine/values/text/quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr double kLeastFixed = 1e-3;
constexpr double kGreatestFixed = 1e6;

std::string twoDigits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

/// The decimals that leave `digits` significant digits of a value above 0; 9.996 with three
/// is 10.0.
int decimalsFor(double size, int digits) {
  auto exponent = static_cast<int>(std::floor(std::log10(size)));
  const double next = std::pow(10.0, exponent + 1);
  if (size >= next * (1 - 0.5 * std::pow(10.0, -digits))) ++exponent;
  return std::max(0, digits - 1 - exponent);
}

/// "3.14e-07" as "3.14e-7", "2.5e+12" as "2.5e12".
std::string withPower(double value, int digits) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(),
                                 buffer.data() + buffer.size(),
                                 value,
                                 std::chars_format::scientific,
                                 digits - 1)
                       .ptr;
  std::string text(buffer.data(), end);
  const std::size_t exponent = text.find('e') + 1;
  const std::size_t sign = text[exponent] == '-' ? 1 : 0;
  const std::size_t first = text.find_first_not_of("+-0", exponent);
  return text.substr(0, exponent + sign) + text.substr(first);
}

std::string withoutTrailingZeros(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t end = std::min(text.find('e'), text.size());
  std::size_t kept = text.find_last_not_of('0', end - 1);
  if (kept == point) --kept;
  return text.substr(0, kept + 1) + text.substr(end);
}

/// The value in the largest unit, each `step` times the one before, in which it is at least 1.
std::string scaled(double value, double step, int digits, std::span<const char* const> units) {
  const std::string sign = value < 0 ? "-" : "";
  double size = std::abs(value);
  // 999.6 k is 1.00 M where no digit is left for its fraction.
  const double limit = 1000 - 0.5 * std::pow(10.0, std::min(0, 3 - digits));
  std::size_t unit = 0;
  while (unit + 1 < units.size() && size >= limit) {
    size /= step;
    ++unit;
  }
  const int decimals = unit == 0 ? 0 : decimalsFor(size, digits);
  return sign + formatFixed(size, decimals) + units[unit];
}

}  // namespace

std::string formatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return formatNumber(value);
  std::array<char, 400> text;
  const auto end = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

std::string formatMeasured(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return formatNumber(value);
  const double size = std::abs(value);
  if (size < kLeastFixed || size >= kGreatestFixed) return withPower(value, digits);
  return formatFixed(value, decimalsFor(size, digits));
}

std::string formatRounded(double value, int digits) {
  return withoutTrailingZeros(formatMeasured(value, digits));
}

std::string formatCount(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string formatCounted(std::int64_t count, const std::string& noun) {
  // The ch of an epoch is a k.
  const bool isSharp = noun.ends_with("ch") && !noun.ends_with("och");
  const bool hisses = noun.ends_with("s") || noun.ends_with("x") || noun.ends_with("sh") || isSharp;
  return formatCount(count) + " " + noun + (count == 1 ? "" : hisses ? "es" : "s");
}

std::string formatShortCount(std::int64_t count, int digits) {
  constexpr std::array kUnits{"", " k", " M", " G", " T", " P"};
  return scaled(static_cast<double>(count), 1000, digits, kUnits);
}

std::string formatBytes(std::int64_t bytes, int digits) {
  constexpr std::array kUnits{" B", " kB", " MB", " GB", " TB", " PB"};
  return scaled(static_cast<double>(bytes), 1000, digits, kUnits);
}

std::string formatCacheSize(std::int64_t bytes) {
  constexpr std::array kUnits{" B", " KiB", " MiB", " GiB"};
  return scaled(static_cast<double>(bytes), 1024, 2, kUnits);
}

std::string formatPercent(double share, int decimals) {
  constexpr double kRounding = 1e-12;  // The mean of ones may end so far below 1.
  if (!std::isfinite(share)) return formatNumber(share);
  const double step = std::pow(10.0, -decimals);
  std::string number = formatFixed(100 * share, decimals);
  if (number == formatFixed(100, decimals) && share < 1 - kRounding) {
    number = ">" + formatFixed(100 - step, decimals);
  } else if (number == formatFixed(0, decimals) && share > kRounding) {
    number = "<" + formatFixed(step, decimals);
  }
  return number + " %";
}

std::string formatAccuracy(double share) {
  return formatPercent(share, 2);
}

std::string formatScore(double score, ScoreKind kind) {
  return traitsOf(kind).isShare ? formatAccuracy(score) : formatFixed(score, 4);
}

std::string throughputUnit(Task task) {
  return task == Task::tokens ? "tokens/s" : std::string(traitsOf(task).examples) + "/s";
}

std::string throughputNumber(double examplesPerSecond, Task task, int tokensPerExample) {
  const int factor = task == Task::tokens ? tokensPerExample : 1;
  return formatCount(std::llround(examplesPerSecond * factor));
}

std::string throughputText(double examplesPerSecond, Task task, int tokensPerExample) {
  return throughputNumber(examplesPerSecond, task, tokensPerExample) + " " + throughputUnit(task);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 59.5) return formatFixed(seconds, seconds < 9.95 ? 1 : 0) + " s";
  const std::int64_t whole = std::llround(seconds);
  if (whole < kHour)
    return std::to_string(whole / kMinute) + " min " + twoDigits(whole % 60) + " s";
  if (whole < kDay) {
    return std::to_string(whole / kHour) + " h " + twoDigits(whole % kHour / kMinute) + " min";
  }
  return std::to_string(whole / kDay) + " d " + std::to_string(whole % kDay / kHour) + " h";
}

std::string formatClock(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const std::int64_t whole = std::llround(std::abs(seconds));
  const std::string sign = seconds < 0 && whole > 0 ? "-" : "";
  const std::string tail = twoDigits(whole % kMinute);
  if (whole < kHour) return sign + std::to_string(whole / kMinute) + ":" + tail;
  return sign + std::to_string(whole / kHour) + ":" + twoDigits(whole % kHour / kMinute) + ":" +
         tail;
}

}  // namespace lambda
