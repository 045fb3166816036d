#pragma once

#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>

namespace lambda {

/// Describes a field of a configuration value: its JSON key, a one-line description for forms and
/// help, the closed range of a number or of the length of a list, and the key that earlier versions
/// wrote, which is still read.
struct Field {
  const char* name;
  const char* meaning;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  const char* formerName = nullptr;

  /// Whether `key` is this field's name or former name.
  constexpr bool isNamed(std::string_view key) const {
    return key == name || (formerName != nullptr && key == formerName);
  }
};

/// `Value` or `const Value`.
template <class T, class Value>
concept Either = std::same_as<std::remove_const_t<T>, Value>;

}  // namespace lambda
