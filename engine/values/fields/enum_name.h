#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lambda {

/// Names of an enumeration's values in JSON and on the command line.
template <class Enum>
struct EnumNames;

template <class Enum>
constexpr std::string_view nameOf(Enum value) {
  return EnumNames<Enum>::names[static_cast<std::size_t>(value)];
}

/// The value of that name, or nothing for an unknown name.
template <class Enum>
constexpr std::optional<Enum> enumOf(std::string_view name) {
  const auto& names = EnumNames<Enum>::names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace lambda
