#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "engine/values/fields/field.h"

namespace lambda {

class GraphBuilder;

// Each kind of stem is a struct of its options, with traitsOf(), textOf(), visitFields() where it
// has options, and addStem(), which adds its nodes in stem.cpp.

/// The properties, besides their options, in which the kinds of stems differ.
struct StemTraits {
  std::string_view kind;   ///< The value of "kind" in JSON.
  std::string_view title;  ///< In a form: "ImageNet: 7×7/2, pool".
  /// Meant for large images: it shrinks small ones too much.
  bool isForLargeImages = false;
  /// Its input is a sequence of tokens instead of an image.
  bool takesTokens = false;
  /// The shortcuts of its networks halve a map by pooling before their convolution (He et al.,
  /// 2018).
  bool poolsShortcuts = false;
};

/// 3x3 convolution, stride 1.
struct CifarStem {
  bool operator==(const CifarStem&) const = default;
};

constexpr StemTraits traitsOf(const CifarStem&) {
  return {.kind = "cifar", .title = "CIFAR: 3×3"};
}

inline std::string textOf(const CifarStem&) {
  return "3×3";
}

/// 7x7 convolution, stride 2, then 3x3 max pooling, stride 2.
struct ImageNetStem {
  bool operator==(const ImageNetStem&) const = default;
};

constexpr StemTraits traitsOf(const ImageNetStem&) {
  return {.kind = "imagenet", .title = "ImageNet: 7×7/2, pool", .isForLargeImages = true};
}

inline std::string textOf(const ImageNetStem&) {
  return "7×7/2, pool";
}

/// Three 3x3 convolutions, the first with stride 2, then 3x3 max pooling, stride 2.
struct ResNetDStem {
  bool operator==(const ResNetDStem&) const = default;
};

constexpr StemTraits traitsOf(const ResNetDStem&) {
  return {.kind = "resnetD",
          .title = "ResNet-D: three 3×3, pool",
          .isForLargeImages = true,
          .poolsShortcuts = true};
}

inline std::string textOf(const ResNetDStem&) {
  return "ResNet-D";
}

/// As ResNetDStem, with a 3x3 convolution of stride 2 instead of the pooling.
struct ResNetRsStem {
  bool operator==(const ResNetRsStem&) const = default;
};

constexpr StemTraits traitsOf(const ResNetRsStem&) {
  return {.kind = "resnetRS",
          .title = "ResNet-RS: four 3×3",
          .isForLargeImages = true,
          .poolsShortcuts = true};
}

inline std::string textOf(const ResNetRsStem&) {
  return "ResNet-RS";
}

/// Convolution over non-overlapping patches.
struct PatchStem {
  int patchSize = 4;  ///< Side of a patch in pixels.

  bool operator==(const PatchStem&) const = default;
};

constexpr StemTraits traitsOf(const PatchStem&) {
  return {.kind = "patch", .title = "Patches"};
}

inline std::string textOf(const PatchStem& stem) {
  const std::string side = std::to_string(stem.patchSize);
  return side + "×" + side + " patch";
}

template <Either<PatchStem> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{
          {"patchSize", "side of a patch in pixels, for the patch stem", 1, 64},
          {"Patch size", Stepping::doubling, "px"},
          "Larger patches make all maps smaller: cost falls with the square, and detail is lost."},
      value.patchSize);
}

/// 3x3 convolution, stride 2 (MobileNet-v2).
struct StridedStem {
  bool operator==(const StridedStem&) const = default;
};

constexpr StemTraits traitsOf(const StridedStem&) {
  return {.kind = "strided", .title = "Strided: 3×3/2"};
}

inline std::string textOf(const StridedStem&) {
  return "3×3/2";
}

/// A learnt vector for each token, and a layer norm (as RWKV-4 has it; Peng et al., 2023,
/// arXiv:2305.13048).
struct EmbeddingStem {
  bool operator==(const EmbeddingStem&) const = default;
};

constexpr StemTraits traitsOf(const EmbeddingStem&) {
  return {.kind = "embedding", .title = "Token embedding", .takesTokens = true};
}

inline std::string textOf(const EmbeddingStem&) {
  return "embedding";
}

template <class Value, class Visit>
requires Either<Value, CifarStem> || Either<Value, ImageNetStem> || Either<Value, ResNetDStem> ||
    Either<Value, ResNetRsStem> || Either<Value, StridedStem> || Either<Value, EmbeddingStem>

void visitFields(Value&, Visit&&) {}

/// A new stem is a new alternative: every function above that omits it fails to compile.
using StemKind = std::variant<CifarStem,
                              ImageNetStem,
                              ResNetDStem,
                              ResNetRsStem,
                              PatchStem,
                              StridedStem,
                              EmbeddingStem>;

struct Stem {
  StemKind kind;
  int width = 64;  ///< Output channels.
  /// The filters of its first convolution are not learnt but whiten the patches of the training
  /// images; see engine/layers/convolution/patch_whitening.h.
  bool whitened = false;

  bool operator==(const Stem&) const = default;
};

inline StemTraits traitsOf(const Stem& stem) {
  return std::visit([](const auto& kind) { return traitsOf(kind); }, stem.kind);
}

/// A few words for a drawing: "7×7/2, pool".
inline std::string textOf(const Stem& stem) {
  return std::visit([](const auto& kind) { return textOf(kind); }, stem.kind);
}

template <Either<Stem> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(
      Field{
          {"kind",
           "cifar 3x3/1, imagenet 7x7/2 and max pool, resnetD, resnetRS, patch, strided 3x3/2, or "
           "embedding of tokens"},
          {"Stem"},
          "Decides how large the first maps are: the ImageNet and ResNet stems leave a sixteenth "
          "of the positions, which saves memory on large images and loses detail on small ones."},
      value.kind);
  visit(Field{{"width", "output channels", 1, 8192},
              {"Width", Stepping::eights, "channels"},
              "More channels for the first stage to read, at the largest map of the network."},
        value.width);
  std::visit([&](auto& options) { visitFields(options, visit); }, value.kind);
  visit(Field{{"whitened",
               "filters of the first convolution are not learnt but whiten the training images' "
               "patches"},
              {"Whitening filters"},
              "The first filters come from the images and are not trained: the layers after them "
              "learn faster, at less than a second before the first step."},
        value.whitened);
}

/// Adds the nodes of a stem to a network that has none yet. Returns the last one's index.
int addStem(GraphBuilder& graph, const Stem& stem);

}  // namespace lambda
