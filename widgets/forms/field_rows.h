#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/values/config/fields.h"

namespace lambda {

/// One of several named values.
struct Choice {
  int index = 0;                   ///< -1 = none of the names.
  std::vector<std::string> names;  ///< As in JSON.

  bool operator==(const Choice&) const = default;
};

/// The value of one field. A std::uint64_t is stored as the std::int64_t with the same bits.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, Choice>;

/// One field of a value as a form shows it.
struct FieldRow {
  std::string path;      ///< The field's path, for example "recipe.optimizer.learningRate".
  std::string label;     ///< "Learning rate"
  std::string meaning;   ///< One line, from engine/values/config/fields.h.
  std::string hint;      ///< What the setting does to accuracy, cost and memory; may be empty.
  std::string unit;      ///< "px", "epochs"; empty = none.
  std::string zeroText;  ///< The text for 0, for example "global"; empty = "0".
  std::vector<std::string> choiceLabels;  ///< Of a Choice; empty = its names, with a capital.
  FieldValue value;
  FieldValue initial;  ///< The default, of the same alternative as `value`.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  Stepping stepping = Stepping::one;
  bool isUnsigned = false;  ///< The bits of the number are those of a std::uint64_t.
  bool applies = true;      ///< False where another setting makes it meaningless.
  bool enabled = true;
  bool mixed = false;  ///< The row stands for several values that differ; `value` is one of them.
  bool isPicked = false;  ///< A choice that FieldForm::pickRequested() offers instead of a list.

  bool operator==(const FieldRow&) const = default;
};

/// Rows of all fields of `value` in their order. Nested values are flattened with dotted paths; a
/// variant gives "mixer.kind" and the fields of its kind; lists are left out. Paths begin with
/// `prefix`, the path at which problems report the value: rowsOf(config.recipe, "recipe").
template <class T>
std::vector<FieldRow> rowsOf(const T& value, const std::string& prefix = {});

/// Sets the field at `path`, relative to `value`, list elements included: "stages[1].width",
/// "mixer.h". Setting a variant's kind gives it that kind's defaults, but for options beside the
/// kind that both kinds have, which stay where they were set; and a whole number takes the
/// index of a choice, as which a form may show it. Returns false, and leaves `value` alone, where
/// there is no such field or it is of another type.
template <class T>
bool setField(T& value, std::string_view path, const FieldValue& next);

/// One row for the rows of several values: a copy of the first, mixed where any other differs. None
/// where the input is empty.
std::vector<FieldRow> mergedRows(const std::vector<std::vector<FieldRow>>& rows);

/// The row at `path`; null where there is none.
const FieldRow* findRow(const std::vector<FieldRow>& rows, std::string_view path);

/// The displayed text of a row's choice: "resnetD" of a stem's kind is "ResNet-D: three 3×3, pool".
std::string choiceLabel(const FieldRow& row, const Choice& choice);

/// The label of the field at a path of a run: "Learning rate" of "recipe.optimizer.learningRate".
std::string labelAt(std::string_view path);

/// "16", "5e-4", "on", "Relative": a value as text, with a point in every locale.
std::string textOf(const FieldRow& row, const FieldValue& value);

namespace field_rows {

/// The name with a capital first letter.
std::string capitalized(std::string_view name);

/// A row without a value.
FieldRow emptyRow(const std::string& path, const Field& field);

/// The labels of an enumeration or of the kinds of a variant; empty where they have none.
template <class M>
std::vector<std::string> choiceLabelsOf() {
  std::vector<std::string> labels;
  if constexpr (std::is_enum_v<M>) {
    labels.assign(kNamesOf<M>.labels.begin(), kNamesOf<M>.labels.end());
  } else if constexpr (requires { KindsOf<M>::titles; }) {
    labels.assign(KindsOf<M>::titles.begin(), KindsOf<M>::titles.end());
  } else if constexpr (requires { KindsOf<M>::nouns; }) {
    for (const std::string_view noun : KindsOf<M>::nouns) labels.push_back(capitalized(noun));
  }
  return labels;
}

template <class M>
inline constexpr bool kIsLeaf =
    std::is_arithmetic_v<M> || std::is_enum_v<M> || std::is_same_v<M, std::string>;

template <class M>
FieldValue valueOf(const M& member) {
  if constexpr (std::is_same_v<M, bool>) {
    return member;
  } else if constexpr (std::is_integral_v<M>) {
    return static_cast<std::int64_t>(member);
  } else if constexpr (std::is_floating_point_v<M>) {
    return static_cast<double>(member);
  } else if constexpr (std::is_enum_v<M>) {
    const auto& names = kNamesOf<M>.names;
    return Choice{static_cast<int>(member), {names.begin(), names.end()}};
  } else {
    return std::string(member);
  }
}

template <class Variant>
FieldValue kindOf(const Variant& value) {
  const auto& names = KindsOf<Variant>::names;
  return Choice{static_cast<int>(value.index()), {names.begin(), names.end()}};
}

/// The values that a reset gives the leaves of `value`: the defaults of its kind.
template <class T>
std::vector<FieldValue> initialLeavesOf(const T& value) {
  T plain{};
  if constexpr (HasKindBesideOptions<T>)
    plain.kind = valueOfKind<decltype(T::kind)>(value.kind.index());
  std::vector<FieldValue> leaves;
  visitFields(plain, [&](const Field&, const auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if constexpr (kIsLeaf<M>) leaves.push_back(valueOf(member));
  });
  return leaves;
}

template <class T>
void append(std::vector<FieldRow>& rows,
            const T& value,
            const std::string& prefix,
            bool applies = true) {
  const std::vector<FieldValue> initial = initialLeavesOf(value);
  std::size_t leaf = 0;
  visitFields(value, [&](const Field& field, const auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    const std::string path = prefix.empty() ? field.name : prefix + "." + field.name;
    const bool isUsed = applies && field.applies;
    const auto add = [&](const std::string& place, FieldValue now, FieldValue first) {
      FieldRow& row = rows.emplace_back(emptyRow(place, field));
      row.choiceLabels = choiceLabelsOf<M>();
      row.value = std::move(now);
      row.initial = std::move(first);
      row.applies = isUsed;
    };
    if constexpr (kIsLeaf<M>) {
      add(path, valueOf(member), initial[leaf++]);
      if constexpr (std::is_same_v<M, std::uint64_t>) {
        rows.back().isUnsigned = true;
        rows.back().min = 0;
        rows.back().max = 0x1p64;
      }
    } else if constexpr (HasOptionsBeside<M>) {
      add(path, kindOf(member), kindOf(T{}.kind));
    } else if constexpr (HasKinds<M>) {
      add(path + ".kind", kindOf(member), kindOf(M{}));
      std::visit([&](const auto& options) { append(rows, options, path, isUsed); }, member);
    } else if constexpr (HasFields<M>) {
      append(rows, member, path, isUsed);
    }
  });
}

/// Splits a path: "stages[1].width" is "stages" and "[1].width", "mixer.h" is "mixer" and "h".
struct PathParts {
  std::string_view first;
  std::string_view rest;
};

PathParts partsOf(std::string_view path);

/// Reads and removes the index at the start of "[1].width"; false where there is none.
bool takeIndex(std::string_view& path, std::size_t& index);

template <class M>
bool setLeaf(M& member, const FieldValue& next) {
  if constexpr (std::is_same_v<M, bool>) {
    const auto* value = std::get_if<bool>(&next);
    if (value) member = *value;
    return value;
  } else if constexpr (std::is_integral_v<M>) {
    const auto* choice = std::get_if<Choice>(&next);
    if (choice && choice->index >= 0) return setLeaf(member, std::int64_t{choice->index});
    const auto* value = std::get_if<std::int64_t>(&next);
    if (value) member = static_cast<M>(*value);
    return value;
  } else if constexpr (std::is_floating_point_v<M>) {
    const auto* value = std::get_if<double>(&next);
    if (value) member = *value;
    return value;
  } else if constexpr (std::is_enum_v<M>) {
    const auto* value = std::get_if<Choice>(&next);
    const bool fits =
        value && value->index >= 0 && value->index < static_cast<int>(kNamesOf<M>.names.size());
    if (fits) member = static_cast<M>(value->index);
    return fits;
  } else {
    const auto* value = std::get_if<std::string>(&next);
    if (value) member = *value;
    return value;
  }
}

template <class Variant>
bool setKind(Variant& value, const FieldValue& next) {
  const auto* kind = std::get_if<Choice>(&next);
  const int kinds = static_cast<int>(KindsOf<Variant>::names.size());
  if (!kind || kind->index < 0 || kind->index >= kinds) return false;
  const auto index = static_cast<std::size_t>(kind->index);
  if constexpr (HasOptionsBeside<Variant>) {
    changeKind(value, index);
  } else if (value.index() != index) {
    value = valueOfKind<Variant>(index);
  }
  return true;
}

template <class M>
bool setMember(M& member, std::string_view path, const FieldValue& next) {
  if constexpr (kIsLeaf<M>) {
    return path.empty() && setLeaf(member, next);
  } else if constexpr (HasOptionsBeside<M>) {
    return path.empty() && setKind(member, next);
  } else if constexpr (HasKinds<M>) {
    if (path == "kind") return setKind(member, next);
    return std::visit([&](auto& options) { return setField(options, path, next); }, member);
  } else if constexpr (requires { member.size(); }) {
    std::size_t index = 0;
    return takeIndex(path, index) && index < member.size() && setField(member[index], path, next);
  } else {
    return setField(member, path, next);
  }
}

}  // namespace field_rows

template <class T>
std::vector<FieldRow> rowsOf(const T& value, const std::string& prefix) {
  std::vector<FieldRow> rows;
  field_rows::append(rows, value, prefix);
  return rows;
}

template <class T>
bool setField(T& value, std::string_view path, const FieldValue& next) {
  const field_rows::PathParts parts = field_rows::partsOf(path);
  bool isSet = false;
  visitFields(value, [&](const Field& field, auto& member) {
    if (parts.first == field.name) isSet = field_rows::setMember(member, parts.rest, next);
  });
  return isSet;
}

}  // namespace lambda
