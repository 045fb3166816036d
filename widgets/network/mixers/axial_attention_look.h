#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<AxialAttentionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const AxialAttentionMixer& mixer);
  static QString text(const AxialAttentionMixer& mixer);
  static QString brief();
  static QueryView view(const AxialAttentionMixer& mixer);
  static MixerExplanation explanation(const AxialAttentionMixer& mixer, const PlacedMixer& place);
  static AxialAttentionMixer fitted(const AxialAttentionMixer& mixer,
                                    int width,
                                    const MapShape& map);
  static AttentionWeightsText weights();
};

}  // namespace lambda
