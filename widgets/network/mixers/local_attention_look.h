#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<LocalAttentionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const LocalAttentionMixer& mixer);
  static QString text(const LocalAttentionMixer& mixer);
  static QString brief();
  static QueryView view(const LocalAttentionMixer& mixer);
  static MixerExplanation explanation(const LocalAttentionMixer& mixer, const PlacedMixer& place);
  static LocalAttentionMixer fitted(const LocalAttentionMixer& mixer,
                                    int width,
                                    const MapShape& map);
};

}  // namespace lambda
