#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/values/config/kinds.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

/// Changes every field of a value within its range, so that a test sees what a round trip loses.
/// Lists keep their lengths; lists of texts and of changes become longer by one.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    visitFields(value, [this](const Field& field, auto& member) { change(field, member); });
  }

 private:
  template <class M>
  void change(const Field& field, M& member) {
    if constexpr (std::is_same_v<M, bool>) {
      member = !member;
    } else if constexpr (std::is_same_v<M, std::uint64_t>) {
      member = (1ULL << 63) + static_cast<std::uint64_t>(++count_);
    } else if constexpr (std::is_integral_v<M>) {
      member = static_cast<double>(member) < field.max ? member + 1 : member - 1;
    } else if constexpr (std::is_floating_point_v<M>) {
      const double max = std::isfinite(field.max) ? field.max : member + 10;
      member = member < max ? member + (max - member) * 0.3 : member * 0.7;
    } else if constexpr (std::is_same_v<M, std::string>) {
      member += "\xC3\xA9 \"\\\n\t" + std::to_string(++count_);
    } else if constexpr (std::is_enum_v<M>) {
      const auto next = static_cast<std::size_t>(member) + 1;
      member = static_cast<M>(next % kNamesOf<M>.names.size());
    } else if constexpr (HasOptionsBeside<M>) {
      changeKind(member, (member.index() + 1) % std::variant_size_v<M>);
    } else if constexpr (HasKinds<M>) {
      std::visit([this](auto& options) { fill(options); }, member);
    } else if constexpr (requires { member.reset(); }) {
      change(field, member.emplace());
    } else if constexpr (std::is_same_v<M, std::vector<std::string>>) {
      member.push_back("word" + std::to_string(++count_));
    } else if constexpr (std::is_same_v<M, std::vector<double>>) {
      member.push_back(++count_ / 8.0);
    } else if constexpr (std::is_same_v<M, std::vector<RunChange>> ||
                         std::is_same_v<M, std::vector<RankRecord>> ||
                         std::is_same_v<M, std::vector<DataChange>>) {
      fill(member.emplace_back());
    } else if constexpr (requires { member.size(); }) {
      for (auto& element : member) fill(element);
    } else {
      fill(member);
    }
  }

  int count_ = 0;
};

/// A run with defaults everywhere, two stages and every kind of mixer.
inline RunConfig defaultRun() {
  RunConfig config;
  Stage stage;
  stage.blocks = {Block{LambdaMixer{}}};
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    stage.blocks.push_back(Block{valueOfKind<Mixer>(kind)});
  }
  config.architecture.stages = {stage, stage};
  return config;
}

/// The same run, but no field has its default.
inline RunConfig filledRun() {
  RunConfig config = defaultRun();
  Filler().fill(config);
  return config;
}

/// Calls visit(path, field, member) for every single value, at any depth.
template <class T, class Visit>
void visitLeaves(T& value, const std::string& path, const Visit& visit) {
  visitFields(value, [&](const Field& field, auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    const std::string place = path.empty() ? field.name : path + "." + field.name;
    if constexpr (HasKinds<M>) {
      std::visit([&](auto& options) { visitLeaves(options, place, visit); }, member);
    } else if constexpr (std::is_arithmetic_v<M> || std::is_enum_v<M> ||
                         std::is_same_v<M, std::string> || HasOptionsBeside<M>) {
      visit(place, field, member);
    } else if constexpr (requires { member.size(); }) {
      for (std::size_t i = 0; i < member.size(); ++i) {
        visitLeaves(member[i], place + "[" + std::to_string(i) + "]", visit);
      }
    } else {
      visitLeaves(member, place, visit);
    }
  });
}

}  // namespace lambda
