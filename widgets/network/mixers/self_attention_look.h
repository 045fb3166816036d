#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<SelfAttentionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const SelfAttentionMixer& mixer);
  static QString text(const SelfAttentionMixer& mixer);
  static QString brief();
  static QueryView view(const SelfAttentionMixer& mixer);
  static MixerExplanation explanation(const SelfAttentionMixer& mixer, const PlacedMixer& place);
  static SelfAttentionMixer fitted(const SelfAttentionMixer& mixer, int width, const MapShape& map);
};

}  // namespace lambda
