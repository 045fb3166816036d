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
  static constexpr std::array<std::string_view, 4> labels{"", "", "Inverted bottleneck", ""};
};

template <>
struct EnumNames<StemKind> {
  static constexpr std::array<std::string_view, 6> names{
      "cifar", "imagenet", "resnetD", "resnetRS", "patch", "strided"};
  static constexpr std::array<std::string_view, 6> labels{"CIFAR: 3×3",
                                                          "ImageNet: 7×7/2, pool",
                                                          "ResNet-D: three 3×3, pool",
                                                          "ResNet-RS: four 3×3",
                                                          "Patches",
                                                          "Strided: 3×3/2"};
};

template <>
struct EnumNames<SqueezePlace> {
  static constexpr std::array<std::string_view, 2> names{"afterMixer", "afterExpansion"};
  static constexpr std::array<std::string_view, 2> labels{"Mixer channels", "Output channels"};
};

template <>
struct EnumNames<NormStatistics> {
  static constexpr std::array<std::string_view, 2> names{"running", "batch"};
  static constexpr std::array<std::string_view, 2> labels{"From training", "Of the batch"};
};

template <>
struct EnumNames<Pooling> {
  static constexpr std::array<std::string_view, 2> names{"average", "max"};
  static constexpr std::array<std::string_view, 2> labels{"", "Maximum"};
};

template <>
struct EnumNames<Activation> {
  static constexpr std::array<std::string_view, 5> names{"relu", "celu", "gelu", "silu", "relu6"};
  static constexpr std::array<std::string_view, 5> labels{"ReLU", "CELU", "GELU", "SiLU", "ReLU6"};
};

template <>
struct EnumNames<Cifar100Labels> {
  static constexpr std::array<std::string_view, 2> names{"fine", "coarse"};
  static constexpr std::array<std::string_view, 2> labels{"Fine: 100 classes",
                                                          "Coarse: 20 superclasses"};
};

template <>
struct EnumNames<CorruptPictures> {
  static constexpr std::array<std::string_view, 2> names{"refuse", "skip"};
  static constexpr std::array<std::string_view, 2> labels{"Refuse the data set", "Leave them out"};
};

template <>
struct EnumNames<TransparentPictures> {
  static constexpr std::array<std::string_view, 2> names{"white", "refuse"};
  static constexpr std::array<std::string_view, 2> labels{"Put on white", "Count as corrupt"};
};

template <>
struct EnumNames<ValidationPictures> {
  static constexpr std::array<std::string_view, 2> names{"drawn", "folder"};
  static constexpr std::array<std::string_view, 2> labels{"Training pictures, by chance",
                                                          "The folder val/"};
};

template <>
struct EnumNames<CropPadding> {
  static constexpr std::array<std::string_view, 2> names{"reflect", "zero"};
};

template <>
struct EnumNames<LastBatch> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "drop", "keep"};
  static constexpr std::array<std::string_view, 3> labels{"Automatic: keep of few", "", ""};
};

template <>
struct EnumNames<BestBy> {
  static constexpr std::array<std::string_view, 2> names{"accuracy", "loss"};
};

template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "float32", "bfloat16"};
  static constexpr std::array<std::string_view, 3> labels{
      "Automatic: the faster one", "float32", "bfloat16"};
};

template <>
struct EnumNames<DeviceKind> {
  static constexpr std::array<std::string_view, 3> names{"automatic", "cpu", "cuda"};
  static constexpr std::array<std::string_view, 3> labels{"", "CPU", "CUDA"};
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
