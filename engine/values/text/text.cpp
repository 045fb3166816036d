#include "engine/values/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::size_t kLongestName = 64;

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Levenshtein distance without regard to case.
std::size_t distanceBetween(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lowered(a[i - 1]) == lowered(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

constexpr std::size_t kMostListed = 40;

/// "cat, dog and 3 more"
std::string listOf(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    text += (i > 0 ? ", " : "") + terminalText(names[i]);
  }
  if (names.size() > kMostListed) {
    text += " and " + std::to_string(names.size() - kMostListed) + " more";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string formatNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-5 && size < 1e15);
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(),
                                 text.data() + text.size(),
                                 value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {text.data(), end.ptr};
}

std::string formatFloat(float value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string nearestName(std::string_view name, std::span<const std::string_view> names) {
  if (name.size() > kLongestName) return {};
  std::string nearest;
  std::size_t smallest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : names) {
    const std::size_t distance = distanceBetween(name, candidate);
    if (distance >= smallest || distance >= candidate.size()) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

std::vector<std::string> linesOf(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string differingLists(const std::string& first,
                           const std::vector<std::string>& ofFirst,
                           const std::string& second,
                           const std::vector<std::string>& ofSecond) {
  const auto beyond = [](std::vector<std::string> names, std::vector<std::string> others) {
    std::ranges::sort(names);
    std::ranges::sort(others);
    std::vector<std::string> more;
    std::ranges::set_difference(names, others, std::back_inserter(more));
    return listOf(more);
  };
  const auto line = [](const std::string& owner, const std::vector<std::string>& names) {
    return "\n  " + owner + " has " + std::to_string(names.size()) + ": " + listOf(names);
  };
  std::string text = line(first, ofFirst) + line(second, ofSecond);
  if (std::max(ofFirst.size(), ofSecond.size()) > kMostListed) {
    text += "\n  " + first + " alone has: " + beyond(ofFirst, ofSecond) + "\n  " + second +
            " alone has: " + beyond(ofSecond, ofFirst);
  }
  return text;
}

}  // namespace lambda
