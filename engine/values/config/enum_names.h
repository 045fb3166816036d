#pragma once

#include <array>
#include <string_view>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/enum_name.h"
#include "engine/values/run/metrics.h"

namespace lambda {

template <>
inline constexpr EnumNames<5> kNamesOf<Family>{
    {"bottleneck", "basic", "invertedBottleneck", "plain", "sequence"},
    {"", "", "Inverted bottleneck", "", ""}};
template <>
inline constexpr EnumNames<2> kNamesOf<ChannelMixing>{{"mlp", "rwkv"}, {"MLP", "RWKV-4"}};
template <>
inline constexpr EnumNames<2> kNamesOf<SqueezePlace>{{"afterMixer", "afterExpansion"},
                                                     {"Mixer channels", "Output channels"}};
template <>
inline constexpr EnumNames<2> kNamesOf<NormStatistics>{{"running", "batch"},
                                                       {"From training", "Of the batch"}};
template <>
inline constexpr EnumNames<2> kNamesOf<Pooling>{{"average", "max"}, {"", "Maximum"}};
template <>
inline constexpr EnumNames<5> kNamesOf<Activation>{{"relu", "celu", "gelu", "silu", "relu6"},
                                                   {"ReLU", "CELU", "GELU", "SiLU", "ReLU6"}};
template <>
inline constexpr EnumNames<2> kNamesOf<Cifar100Labels>{
    {"fine", "coarse"}, {"Fine: 100 classes", "Coarse: 20 superclasses"}};
template <>
inline constexpr EnumNames<2> kNamesOf<CorruptPictures>{{"refuse", "skip"},
                                                        {"Refuse the data set", "Leave them out"}};
template <>
inline constexpr EnumNames<2> kNamesOf<TransparentPictures>{{"white", "refuse"},
                                                            {"Put on white", "Count as corrupt"}};
template <>
inline constexpr EnumNames<2> kNamesOf<ValidationPictures>{
    {"drawn", "folder"}, {"Training pictures, by chance", "The folder val/"}};
template <>
inline constexpr EnumNames<2> kNamesOf<CropPadding>{{"reflect", "zero"}};
template <>
inline constexpr EnumNames<3> kNamesOf<RateScaling>{{"none", "linear", "squareRoot"},
                                                    {"None", "Linear", "Square root"}};
template <>
inline constexpr EnumNames<3> kNamesOf<LastBatch>{{"automatic", "drop", "keep"},
                                                  {"Automatic: keep of few", "", ""}};
template <>
inline constexpr EnumNames<2> kNamesOf<BestBy>{{"accuracy", "loss"}};
template <>
inline constexpr EnumNames<3> kNamesOf<Precision>{
    {"automatic", "float32", "bfloat16"}, {"Automatic: the faster one", "float32", "bfloat16"}};
template <>
inline constexpr EnumNames<3> kNamesOf<DeviceKind>{{"automatic", "cpu", "cuda"},
                                                   {"", "CPU", "CUDA"}};
template <>
inline constexpr EnumNames<11> kNamesOf<EventKind>{{"started",
                                                    "resumed",
                                                    "paused",
                                                    "continued",
                                                    "stopped",
                                                    "finished",
                                                    "failed",
                                                    "checkpoint",
                                                    "tested",
                                                    "warning",
                                                    "changed"}};
template <>
inline constexpr EnumNames<2> kNamesOf<ChangedData>{{"stop", "warn"}};
template <>
inline constexpr EnumNames<5> kNamesOf<RunStatus>{
    {"running", "paused", "stopped", "finished", "failed"}};

}  // namespace lambda
