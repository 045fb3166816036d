#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace lambda {

/// The names of an enumeration's values in JSON and on the command line, and what forms show in
/// their place; an empty label is the name with a capital.
template <std::size_t N>
struct EnumNames {
  std::array<std::string_view, N> names;
  std::array<std::string_view, N> labels = {};
};

/// Those of one enumeration: an EnumNames<N>.
template <class Enum>
inline constexpr void* kNamesOf = nullptr;

template <class Enum>
constexpr std::string_view nameOf(Enum value) {
  return kNamesOf<Enum>.names[static_cast<std::size_t>(value)];
}

/// The value of that name, or nothing for an unknown name.
template <class Enum>
constexpr std::optional<Enum> enumOf(std::string_view name) {
  const auto& names = kNamesOf<Enum>.names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace lambda
