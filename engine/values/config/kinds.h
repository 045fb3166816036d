#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/values/architecture/mixer.h"
#include "engine/values/architecture/stem.h"
#include "engine/values/config/data_source.h"
#include "engine/values/config/optimizer.h"
#include "engine/values/config/schedule.h"
#include "engine/values/fields/field.h"

namespace lambda {

/// Calls `of` with the std::type_identity of each alternative of a variant; an array of the
/// results.
template <class Variant, class Of>
constexpr auto ofEachKind(const Of& of) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{of(std::type_identity<std::variant_alternative_t<I, Variant>>())...};
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

/// Names of the alternatives of Mixer, in their order: the values of a mixer's "kind".
inline constexpr auto kMixerKinds =
    ofEachKind<Mixer>([]<class M>(std::type_identity<M>) { return TraitsOf<M>::value.kind; });

/// The kinds of a variant of option structs: the values of its "kind", in the order of its
/// alternatives, their titles in forms, and the noun for one of them in messages. `kAreBeside`: the
/// options do not stand in an object of their own, but beside "kind" among the fields of the
/// variant's owner.
template <class Variant>
struct KindsOf;

template <>
struct KindsOf<Mixer> {
  static constexpr auto& names = kMixerKinds;
  static constexpr auto nouns =
      ofEachKind<Mixer>([]<class M>(std::type_identity<M>) { return TraitsOf<M>::value.name; });
  static constexpr const char* noun = "a mixer";
};

template <>
struct KindsOf<DataSource> {
  static constexpr auto names =
      ofEachKind<DataSource>([](auto source) { return traitsOf(source).kind; });
  static constexpr auto titles =
      ofEachKind<DataSource>([](auto source) { return traitsOf(source).title; });
  static constexpr const char* noun = "a data source";

  /// The value of a text that is none of the names.
  static DataSource ofText(std::string path) { return Cifar10Source{std::move(path)}; }
};

template <>
struct KindsOf<OptimizerKind> {
  static constexpr auto names =
      ofEachKind<OptimizerKind>([]<class K>(std::type_identity<K>) { return traitsOf(K()).kind; });
  static constexpr auto titles =
      ofEachKind<OptimizerKind>([]<class K>(std::type_identity<K>) { return traitsOf(K()).title; });
  static constexpr bool kAreBeside = true;
};

template <>
struct KindsOf<StemKind> {
  static constexpr auto names =
      ofEachKind<StemKind>([]<class K>(std::type_identity<K>) { return traitsOf(K()).kind; });
  static constexpr auto titles =
      ofEachKind<StemKind>([]<class K>(std::type_identity<K>) { return traitsOf(K()).title; });
  static constexpr bool kAreBeside = true;
};

template <>
struct KindsOf<ScheduleKind> {
  static constexpr auto names =
      ofEachKind<ScheduleKind>([]<class K>(std::type_identity<K>) { return K::kKind; });
  static constexpr bool kAreBeside = true;
};

/// A variant whose options stand beside its kind. Its value is the field "kind"; its options are
/// fields of its owner.
template <class T>
concept HasOptionsBeside = requires {
  KindsOf<T>::kAreBeside;
};

/// A variant of option structs that stand in an object with their "kind".
template <class T>
concept HasKinds = !HasOptionsBeside<T> && requires {
  KindsOf<T>::names;
};

/// The value of "kind" in JSON.
template <class Variant>
constexpr std::string_view kindNameOf(const Variant& value) {
  return KindsOf<Variant>::names[value.index()];
}

/// A value that consists of fields.
template <class T>
concept HasFields =
    std::is_class_v<T> && !HasKinds<T> && !HasOptionsBeside<T> && !requires(const T& value) {
  value.size();
};

/// The alternative of that kind with its defaults; `kind` is an index of KindsOf<Variant>::names.
template <class Variant, std::size_t I = 0>
Variant valueOfKind(std::size_t kind) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (kind != I) return valueOfKind<Variant, I + 1>(kind);
  }
  return std::variant_alternative_t<I, Variant>{};
}

/// Changes the kind and keeps what was set: options that both kinds have, unless they were at the
/// default of the kind before.
template <HasOptionsBeside Variant>
void changeKind(Variant& value, std::size_t kind) {
  if (value.index() == kind) return;
  using Options = std::vector<std::pair<std::string_view, double>>;
  const auto optionsOf = [](const Variant& each) {
    Options options;
    const auto add = [&](const Field& field, const auto& member) {
      options.emplace_back(field.name, static_cast<double>(member));
    };
    std::visit([&](const auto& alternative) { visitFields(alternative, add); }, each);
    return options;
  };
  const Options before = optionsOf(value),
                defaults = optionsOf(valueOfKind<Variant>(value.index()));
  value = valueOfKind<Variant>(kind);
  const auto keep = [&](const Field& field, auto& member) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].first == field.name && before[i] != defaults[i])
        member = static_cast<std::remove_reference_t<decltype(member)>>(before[i].second);
    }
  };
  std::visit([&](auto& alternative) { visitFields(alternative, keep); }, value);
}

/// A value whose member `kind` has its options beside it.
template <class T>
concept HasKindBesideOptions = HasOptionsBeside<decltype(T::kind)>;

/// Calls visit(value) for the value and then for it with each kind whose options stand beside it.
template <class T, class Visit>
void withEachKind(T value, const Visit& visit) {
  visit(value);
  if constexpr (HasKindBesideOptions<T>) {
    for (std::size_t kind = 0; kind < KindsOf<decltype(T::kind)>::names.size(); ++kind) {
      value.kind = valueOfKind<decltype(T::kind)>(kind);
      visit(value);
    }
  }
}

}  // namespace lambda
