#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<LinearAttentionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const LinearAttentionMixer& mixer);
  static QString text(const LinearAttentionMixer& mixer);
  static QString brief();
  static QueryView view(const LinearAttentionMixer& mixer);
  static MixerExplanation explanation(const LinearAttentionMixer& mixer, const PlacedMixer& place);
  static LinearAttentionMixer fitted(const LinearAttentionMixer& mixer,
                                     int width,
                                     const MapShape& map);
};

}  // namespace lambda
