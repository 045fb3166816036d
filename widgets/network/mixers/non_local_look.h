#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<NonLocalMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const NonLocalMixer& mixer);
  static QString text(const NonLocalMixer& mixer);
  static QString brief();
  static QueryView view(const NonLocalMixer& mixer);
  static MixerExplanation explanation(const NonLocalMixer& mixer, const PlacedMixer& place);
  static NonLocalMixer fitted(const NonLocalMixer& mixer, int width, const MapShape& map);
  static AttentionWeightsText weights();
};

}  // namespace lambda
