#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/values/config/fields.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// Clamps every number to its field's range, so that arithmetic on it can't overflow. Lists keep
/// their length.
template <class T>
void clampToRanges(T& value) {
  visitFields(value, [](const Field& field, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<M, int> || std::is_same_v<M, double>) {
      const auto min = static_cast<M>(field.min);
      // The comparison is false for NaN, which becomes the minimum.
      member = member >= min ? std::min(member, static_cast<M>(field.max)) : min;
    } else if constexpr (HasKinds<M>) {
      std::visit([](auto& options) { clampToRanges(options); }, member);
    } else if constexpr (std::is_same_v<M, std::vector<Stage>> ||
                         std::is_same_v<M, std::vector<Block>>) {
      for (auto& element : member) clampToRanges(element);
    } else if constexpr (std::is_class_v<M> && !std::is_same_v<M, std::string> &&
                         !HasOptionsBeside<M>) {
      clampToRanges(member);
    }
  });
}

/// Reports every number outside its field's range and every list that is too long, at any depth.
class RangeCheck {
 public:
  explicit RangeCheck(std::vector<Problem>& problems) : problems_(problems) {}

  template <class T>
  void check(const std::string& path, const T& value) {
    visitFields(value, [&](const Field& field, const auto& member) {
      checkMember(path.empty() ? field.name : path + "." + field.name, field, member);
    });
  }

 private:
  template <class M>
  void checkMember(const std::string& path, const Field& field, const M& member) {
    if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::string> ||
                  std::is_same_v<M, std::uint64_t> || std::is_enum_v<M> || HasOptionsBeside<M>) {
      return;
    } else if constexpr (std::is_arithmetic_v<M>) {
      checkNumber(path, field, static_cast<double>(member), std::is_integral_v<M>);
    } else if constexpr (HasKinds<M>) {
      std::visit([&](const auto& options) { check(path, options); }, member);
    } else if constexpr (requires { member.size(); }) {
      checkLength(path, field, member.size());
      for (std::size_t i = 0; i < member.size(); ++i) {
        check(path + "[" + std::to_string(i) + "]", member[i]);
      }
    } else {
      check(path, member);
    }
  }

  void checkNumber(const std::string& path, const Field& field, double value, bool whole);
  void checkLength(const std::string& path, const Field& field, std::size_t length);

  std::vector<Problem>& problems_;
};

}  // namespace lambda
