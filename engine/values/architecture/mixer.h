#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/values/architecture/mixers/axial_attention_mixer.h"
#include "engine/values/architecture/mixers/convolution_mixer.h"
#include "engine/values/architecture/mixers/depthwise_convolution_mixer.h"
#include "engine/values/architecture/mixers/lambda_mixer.h"
#include "engine/values/architecture/mixers/linear_attention_mixer.h"
#include "engine/values/architecture/mixers/local_attention_mixer.h"
#include "engine/values/architecture/mixers/non_local_mixer.h"
#include "engine/values/architecture/mixers/rwkv_mixer.h"
#include "engine/values/architecture/mixers/self_attention_mixer.h"
#include "engine/values/architecture/mixers/spatial_attention_mixer.h"
#include "engine/values/architecture/mixers/squeeze_excitation_mixer.h"

namespace lambda {

/// The layer of a block that mixes information between positions. A new layer is a new alternative:
/// "A new layer" in CONTRIBUTING.md lists what else it needs, and the compiler reports every part
/// that is missing.
using Mixer = std::variant<ConvolutionMixer,
                           LambdaMixer,
                           DepthwiseConvolutionMixer,
                           SelfAttentionMixer,
                           LocalAttentionMixer,
                           AxialAttentionMixer,
                           LinearAttentionMixer,
                           NonLocalMixer,
                           SqueezeExcitationMixer,
                           SpatialAttentionMixer,
                           RwkvMixer>;

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

/// Whether no position of the mixer's output sees a later one, row by row.
inline bool isCausal(const Mixer& mixer) {
  const auto ofKind = []<class M>(const M& each) {
    if constexpr (requires { each.causal; }) {
      return each.causal;
    } else if constexpr (requires { each.mask; }) {
      return each.mask == ContextMask::causal;
    } else {
      return TraitsOf<M>::value.isCausal;
    }
  };
  return std::visit(ofKind, mixer);
}

/// The index of a kind among Mixer's alternatives, an index of kMixerTraits.
template <class M>
constexpr std::size_t mixerKindOf() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return ((std::is_same_v<M, std::variant_alternative_t<I, Mixer>> ? I : 0) + ...);
  }
  (std::make_index_sequence<kMixerKindCount>());
}

}  // namespace lambda
