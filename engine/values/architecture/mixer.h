#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lambda {

/// An ordinary convolution, the baseline for lambda layers.
struct ConvolutionMixer {
  int kernelSize = 3;  ///< Side of the square window in pixels, odd.

  bool operator==(const ConvolutionMixer&) const = default;
};

/// How context positions m enter the lambda of query position n (paper, sections 3.1 and 3.3).
enum class PositionEmbedding {
  relative,  ///< e_nm depends on m - n alone: translation-equivariant (section 3.3).
  absolute,  ///< A free vector for every pair (n, m); ties the layer to one map size.
  none,      ///< No position lambda: the content-only layer.
};

/// The lambda layer of LambdaNetworks (Bello, ICLR 2021), multi-query (section 3.2), with
/// intra-depth (appendix B.4). Defaults are the paper's (appendix E.1), except for the scope.
struct LambdaMixer {
  int queryDepth = 16;  ///< k
  int heads = 4;        ///< h: queries that share one lambda; divides the output depth d.
  int intraDepth = 1;   ///< u
  int scope = 0;        ///< r: side of the local window of positions, odd; 0 = global.
  PositionEmbedding embedding = PositionEmbedding::relative;
  bool content = true;           ///< With the content lambda; false = position only.
  bool normalizeQueries = true;  ///< Batch norm on the queries (section 3.1).
  bool normalizeValues = true;   ///< Batch norm on the values (section 3.1).
  std::string sharedEmbeddings;  ///< Layers with the same non-empty name share embeddings.

  bool operator==(const LambdaMixer&) const = default;
};

/// A convolution of each channel separately. A 1x1 convolution follows it where the block's width
/// differs from its input channels, which happens only in the plain family.
struct DepthwiseConvolutionMixer {
  int kernelSize = 3;  ///< Side of the square window in pixels, odd.

  bool operator==(const DepthwiseConvolutionMixer&) const = default;
};

/// The layer of a block that mixes information between positions. A new layer is a new alternative:
/// the README's section "A new layer" lists what else it needs, and the compiler reports every part
/// that is missing.
using Mixer = std::variant<ConvolutionMixer, LambdaMixer, DepthwiseConvolutionMixer>;

/// The properties, besides their options, in which the kinds of mixers differ. No other code tests
/// the kind of a mixer to find them out.
struct MixerTraits {
  std::string_view kind;     ///< The value of "kind" in JSON and in cost tables.
  std::string_view name;     ///< "lambda layer"
  std::string_view plural;   ///< "lambda layers"
  std::string_view meaning;  ///< One line on what it is.
  char letter = '?';         ///< Its letter in patternOf(), and its key in the editor.
  /// Whether it can compute only every second position, as a bottleneck with stride 2 requires. A
  /// mixer that can't is followed by average pooling (LambdaNetworks, appendix E.1).
  bool supportsStride = false;
  /// Whether the plain family always adds a shortcut around it.
  bool needsShortcut = false;
  /// Whether its lambdas can be inspected as pictures.
  bool isInspectable = false;
};

/// The traits of one kind. There is no primary definition: a kind without traits does not compile.
template <class M>
struct TraitsOf;

template <>
struct TraitsOf<ConvolutionMixer> {
  static constexpr MixerTraits value{
      .kind = "convolution",
      .name = "convolution",
      .plural = "convolutions",
      .meaning = "an ordinary convolution, the baseline for lambda layers",
      .letter = 'C',
      .supportsStride = true};
};

template <>
struct TraitsOf<LambdaMixer> {
  static constexpr MixerTraits value{
      .kind = "lambda",
      .name = "lambda layer",
      .plural = "lambda layers",
      .meaning = "the lambda layer of LambdaNetworks (Bello, ICLR 2021)",
      .letter = 'L',
      .needsShortcut = true,
      .isInspectable = true};
};

template <>
struct TraitsOf<DepthwiseConvolutionMixer> {
  static constexpr MixerTraits value{
      .kind = "depthwiseConvolution",
      .name = "depthwise convolution",
      .plural = "depthwise convolutions",
      .meaning = "a convolution of each channel separately (Howard et al., 2017)",
      .letter = 'D',
      .supportsStride = true};
};

inline constexpr std::size_t kMixerKindCount = std::variant_size_v<Mixer>;

/// The traits of all kinds in the order of Mixer's alternatives.
inline constexpr std::array<MixerTraits, kMixerKindCount> kMixerTraits =
    []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{TraitsOf<std::variant_alternative_t<I, Mixer>>::value...};
}
(std::make_index_sequence<kMixerKindCount>());

constexpr bool mixerKindsAreDistinct() {
  for (std::size_t i = 0; i < kMixerKindCount; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kMixerTraits[i].kind == kMixerTraits[j].kind) return false;
      if (kMixerTraits[i].letter == kMixerTraits[j].letter) return false;
    }
  }
  return true;
}

static_assert(mixerKindsAreDistinct(), "two kinds of mixers have the same name or letter");

inline const MixerTraits& traitsOf(const Mixer& mixer) {
  return kMixerTraits[mixer.index()];
}

/// The index of a kind among Mixer's alternatives, an index of kMixerTraits.
template <class M>
constexpr std::size_t mixerKindOf() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return ((std::is_same_v<M, std::variant_alternative_t<I, Mixer>> ? I : 0) + ...);
  }
  (std::make_index_sequence<kMixerKindCount>());
}

/// A mixer of that kind with its defaults; `kind` is an index of kMixerTraits.
template <std::size_t I = 0>
Mixer mixerOfKind(std::size_t kind) {
  if constexpr (I + 1 < kMixerKindCount) {
    if (kind != I) return mixerOfKind<I + 1>(kind);
  }
  return std::variant_alternative_t<I, Mixer>{};
}

}  // namespace lambda
