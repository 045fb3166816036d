#pragma once

#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>

namespace lambda {

/// How far one press of an arrow key steps.
enum class Stepping {
  one,
  eights,      ///< To the next multiple of 8.
  odd,         ///< Through the odd numbers, and through 0 where it is in range.
  doubling,    ///< To the next power of two.
  hundredth,   ///< 0.01
  oneTwoFive,  ///< Through 1, 2, 5, 10, 20, ...: the order of magnitude matters.
};

/// What files and the command line need of a field: its JSON key, a one-line description, the
/// closed range of a number or of the length of a list, and the key that earlier versions wrote,
/// which is still read.
struct FieldKey {
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

/// How a form shows a field.
struct FieldLook {
  const char* label = "";  ///< "Learning rate"; empty = the name, which begins with a capital.
  Stepping stepping = Stepping::one;
  const char* unit = "";      ///< "px", "epochs"; empty = none.
  const char* zeroText = "";  ///< The text for 0, for example "global"; empty = "0".
};

/// Everything about a field of a configuration value, beside its member: visitFields() of the value
/// gives it to JSON, command line, forms and rules alike.
struct Field : FieldKey {
  FieldLook look = {};
  const char* hint = "";     ///< What the setting does to accuracy, cost and memory.
  bool applies = true;       ///< False where another setting makes it meaningless.
  bool changesSpeed = true;  ///< Whether the time of a training step depends on it.
};

/// Visits fields on which the time of a training step does not depend.
template <class Visit>
auto atSameSpeed(Visit& visit) {
  return [&visit](Field field, auto& member) {
    field.changesSpeed = false;
    visit(field, member);
  };
}

/// `Value` or `const Value`.
template <class T, class Value>
concept Either = std::same_as<std::remove_const_t<T>, Value>;

}  // namespace lambda
