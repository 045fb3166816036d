#pragma once

#include <array>
#include <string_view>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/run/metrics.h"

namespace lambda {

template <>
struct EnumNames<Family> {
  static constexpr std::array<std::string_view, 4> names{
      "bottleneck", "basic", "invertedBottleneck", "plain"};
};

template <>
struct EnumNames<StemKind> {
  static constexpr std::array<std::string_view, 6> names{
      "cifar", "imagenet", "resnetD", "resnetRS", "patch", "strided"};
};

template <>
struct EnumNames<SqueezePlace> {
  static constexpr std::array<std::string_view, 2> names{"afterMixer", "afterExpansion"};
};

template <>
struct EnumNames<NormStatistics> {
  static constexpr std::array<std::string_view, 2> names{"running", "batch"};
};

template <>
struct EnumNames<Pooling> {
  static constexpr std::array<std::string_view, 2> names{"average", "max"};
};

template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 5> names{"relu", "celu", "gelu", "silu", "relu6"};
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
struct EnumNames<TransparentPictures> {
  static constexpr std::array<std::string_view, 2> names{"white", "refuse"};
};

template <>
struct EnumNames<ValidationPictures> {
  static constexpr std::array<std::string_view, 2> names{"drawn", "folder"};
};

template <>
struct EnumNames<CropPadding> {
  static constexpr std::array<std::string_view, 2> names{"reflect", "zero"};
};

template <>
struct EnumNames<LastBatch> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "drop", "keep"};
};

template <>
struct EnumNames<BestBy> {
  static constexpr std::array<std::string_view, 2> names{"accuracy", "loss"};
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
struct EnumNames<ChangedData> {
  static constexpr std::array<std::string_view, 2> names{"stop", "warn"};
};

template <>
struct EnumNames<RunStatus> {
  static constexpr std::array<std::string_view, 5> names{
      "running", "paused", "stopped", "finished", "failed"};
};

}  // namespace lambda
