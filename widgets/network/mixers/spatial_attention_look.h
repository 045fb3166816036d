#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<SpatialAttentionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const SpatialAttentionMixer& mixer);
  static QString text(const SpatialAttentionMixer& mixer);
  static QString brief();
  static QueryView view(const SpatialAttentionMixer& mixer);
  static MixerExplanation explanation(const SpatialAttentionMixer& mixer, const PlacedMixer& place);
  static SpatialAttentionMixer fitted(const SpatialAttentionMixer& mixer,
                                      int width,
                                      const MapShape& map);
};

}  // namespace lambda
