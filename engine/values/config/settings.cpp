#include "engine/values/config/settings.h"

#include <algorithm>

#include "engine/values/config/fields.h"

namespace lambda {

namespace {

template <class T>
std::optional<Field> fieldIn(const T& value, std::string_view path);

/// The field at the rest of a path, within a member.
template <class M>
std::optional<Field> fieldWithin(const M& member, const Field& field, std::string_view rest) {
  if (rest.empty()) return field;
  if constexpr (HasKinds<M>) {
    if (rest == "kind") return field;
    std::optional<Field> found;
    for (std::size_t kind = 0; kind < KindsOf<M>::names.size() && !found; ++kind) {
      found = std::visit([&](const auto& options) { return fieldIn(options, rest); },
                         valueOfKind<M>(kind));
    }
    return found;
  } else if constexpr (std::is_same_v<M, std::vector<Stage>> ||
                       std::is_same_v<M, std::vector<Block>>) {
    rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return fieldIn(typename M::value_type{}, rest);
  } else if constexpr (HasFields<M>) {
    return fieldIn(member, rest);
  }
  return std::nullopt;
}

template <class T>
std::optional<Field> fieldIn(const T& value, std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  std::string_view rest = path.substr(end);
  if (rest.starts_with('.')) rest.remove_prefix(1);
  std::optional<Field> found;
  withEachKind(value, [&](const T& each) {
    visitFields(each, [&](const Field& field, const auto& member) {
      if (!found && field.isNamed(path.substr(0, end))) found = fieldWithin(member, field, rest);
    });
  });
  return found;
}

template <class T>
void clearWhatKeepsSpeed(T& value) {
  visitFields(value, [](const Field& field, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if (!field.changesSpeed) {
      member = M{};
    } else if constexpr (HasFields<M>) {
      clearWhatKeepsSpeed(member);
    }
  });
}

}  // namespace

std::optional<Field> fieldAt(std::string_view path) {
  return fieldIn(RunConfig{}, path);
}

bool isEquallyFast(const RunConfig& a, const RunConfig& b) {
  RunConfig left = a, right = b;
  clearWhatKeepsSpeed(left);
  clearWhatKeepsSpeed(right);
  return left == right;
}

}  // namespace lambda
