#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/values/config/run_config.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// Names of an enumeration's values in JSON and on the command line.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<PositionEmbedding> {
  static constexpr std::array<std::string_view, 3> names{"relative", "absolute", "none"};
};

template <>
struct EnumNames<Family> {
  static constexpr std::array<std::string_view, 3> names{"bottleneck", "basic", "plain"};
};

template <>
struct EnumNames<StemKind> {
  static constexpr std::array<std::string_view, 4> names{"cifar", "imagenet", "resnetD", "patch"};
};

template <>
struct EnumNames<Pooling> {
  static constexpr std::array<std::string_view, 2> names{"average", "max"};
};

template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 4> names{"relu", "celu", "gelu", "silu"};
};

template <>
struct EnumNames<Cifar100Labels> {
  static constexpr std::array<std::string_view, 2> names{"fine", "coarse"};
};

template <>
struct EnumNames<CorruptPictures> {
  static constexpr std::array<std::string_view, 2> names{"refuse", "skip"};
};

template <>
struct EnumNames<CropPadding> {
  static constexpr std::array<std::string_view, 2> names{"reflect", "zero"};
};

template <>
struct EnumNames<OptimizerKind> {
  static constexpr std::array<std::string_view, 4> names{"sgd", "adam", "adamw", "muon"};
};

template <>
struct EnumNames<ScheduleKind> {
  static constexpr std::array<std::string_view, 5> names{
      "constant", "cosine", "linear", "triangular", "step"};
};

template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "float32", "bfloat16"};
};

template <>
struct EnumNames<DeviceKind> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "cpu", "cuda"};
};

template <>
struct EnumNames<EventKind> {
  static constexpr std::array<std::string_view, 11> names{"started",
                                                          "resumed",
                                                          "paused",
                                                          "continued",
                                                          "stopped",
                                                          "finished",
                                                          "failed",
                                                          "checkpoint",
                                                          "tested",
                                                          "warning",
                                                          "changed"};
};

template <>
struct EnumNames<RunStatus> {
  static constexpr std::array<std::string_view, 5> names{
      "running", "paused", "stopped", "finished", "failed"};
};

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
